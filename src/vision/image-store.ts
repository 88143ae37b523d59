import { ToolError } from "../base/errors.ts";
import { nonce } from "../base/nonce.ts";
import type { Size } from "../base/geometry.ts";

export interface StoredImage extends Size {
  readonly id: string;
  /** RGBA, or one byte per pixel for a mask. */
  readonly data: Uint8Array;
  readonly isMask: boolean;
}

// A few hundred icons, or two whole screens.
const byteBudget = 64 * 1024 * 1024;
const countBudget = 500;

/** Pictures that callers have loaded, by id. The least recently used are dropped first. */
export class ImageStore {
  readonly #nonce = nonce();
  readonly #images = new Map<string, StoredImage>();
  #count = 0;
  #bytes = 0;

  add(image: Omit<StoredImage, "id">, prefix: string): StoredImage {
    const stored: StoredImage = { ...image, id: `${prefix}${++this.#count}${this.#nonce}` };
    this.#images.set(stored.id, stored);
    this.#bytes += stored.data.byteLength;
    for (const [id, { data }] of this.#images) {
      const isFull = this.#bytes > byteBudget || this.#images.size > countBudget;
      if (!isFull || this.#images.size === 1) break;
      this.#images.delete(id);
      this.#bytes -= data.byteLength;
    }
    return stored;
  }

  has(id: string): boolean {
    return this.#images.has(id);
  }

  get(id: string): StoredImage {
    const image = this.#images.get(id);
    if (!image) {
      throw new ToolError("not_found", `There is no loaded image "${id}" in this session.`, {
        hint: "Load it with load_image and use the image_id it returns; images unused for long are dropped.",
      });
    }
    this.#images.delete(id);
    this.#images.set(id, image);
    return image;
  }
}
