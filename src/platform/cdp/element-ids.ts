import { ToolError } from "../../base/errors.ts";
import type { PageDocument } from "./document.ts";

export interface ElementOwner {
  readonly pageId: string;
  readonly frameId: string;
  readonly document: PageDocument;
  /** The element's number in its document. */
  readonly local: number;
}

const numberIn = (ref: string): string | undefined => /^d(\d{1,9})$/.exec(ref)?.[1];

/** Assigns every element of every page one number for good, so that a ref can never refer to another element. */
export class ElementIds {
  readonly #owners = new Map<number, ElementOwner>();
  readonly #numbers = new WeakMap<PageDocument, Map<number, number>>();
  #last = 0;
  #sweepAt = 10_000;

  refOf(pageId: string, document: PageDocument, local: number): string {
    const known = this.#numbers.get(document);
    const number = known?.get(local);
    if (number !== undefined) return `d${number}`;
    const made = ++this.#last;
    if (known) known.set(local, made);
    else this.#numbers.set(document, new Map([[local, made]]));
    this.#owners.set(made, { pageId, frameId: document.frameId, document, local });
    this.#sweep();
    return `d${made}`;
  }

  /** The element's ref, if it was ever assigned one. */
  peek(document: PageDocument, local: number): string | undefined {
    const number = this.#numbers.get(document)?.get(local);
    return number === undefined ? undefined : `d${number}`;
  }

  pageOf(ref: string): string | undefined {
    return this.#owners.get(Number(numberIn(ref)))?.pageId;
  }

  find(ref: string): ElementOwner {
    const digits = numberIn(ref);
    if (/^d\d+g\d+$/.test(ref)) {
      throw new ToolError("invalid_argument", `${ref} is valid only in the snapshot it comes from.`, {
        hint: 'Pass it to click or act with surface: "page:…", or use a uid like d12 from cdp_find_elements.',
      });
    }
    if (digits === undefined) {
      throw new ToolError("invalid_argument", `"${ref}" is not an element of a page.`, {
        hint: "Refs look like d12 and come from cdp_find_elements or cdp_take_dom_snapshot.",
      });
    }
    const number = Number(digits);
    const owner = this.#owners.get(number);
    if (owner && !owner.document.isGone) return owner;
    if (number > this.#last || number === 0) {
      throw new ToolError("uid_not_found", `No element was ever called ${ref}.`, {
        hint: "Call cdp_find_elements or cdp_take_dom_snapshot and use their uids.",
      });
    }
    throw new ToolError("snapshot_expired", `${ref} belongs to an earlier document.`, {
      hint: "The page has navigated since: call cdp_find_elements or cdp_take_dom_snapshot again.",
    });
  }

  /** For documents that are gone, only the fact that their numbers were assigned is kept. */
  #sweep(): void {
    if (this.#owners.size < this.#sweepAt) return;
    for (const [number, { document }] of this.#owners) if (document.isGone) this.#owners.delete(number);
    this.#sweepAt = Math.max(10_000, this.#owners.size * 2);
  }
}
