import type { Traces } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { PageDocument } from "./document.ts";
import { DialogOpened, DocumentGone } from "./interrupt.ts";
import { ignoreGone, watchedDocuments } from "./witness.ts";
import type { SendOptions } from "./wire.ts";

/** What a page has done beyond what it shows; a document that was left takes nothing back. */
export class PageTraces {
  readonly #page: AttachedPage;
  readonly #known = new WeakMap<PageDocument, readonly [copies: number, selections: number]>();
  #copies = 0;
  #selections = 0;

  constructor(page: AttachedPage) {
    this.#page = page;
  }

  async read(options: SendOptions): Promise<Traces> {
    // A page that waits at a dialog or is being left answers nothing.
    await this.#count(options).catch((error: unknown) => {
      if (!(error instanceof DialogOpened || error instanceof DocumentGone)) throw error;
    });
    const { opened } = this.#page;
    return {
      clipboard: this.#copies,
      primary: this.#selections,
      opened: [...opened],
      downloads: await this.#downloads(options),
    };
  }

  async #count(options: SendOptions): Promise<void> {
    const documents = await watchedDocuments(this.#page, options);
    const counts = await Promise.all(documents.map((each) => each.call("taken", [], options).catch(ignoreGone)));
    for (const [index, document] of documents.entries()) {
      const now = counts[index];
      if (now === undefined) continue;
      const [copies, selections] = this.#known.get(document) ?? now;
      this.#copies += now[0] - copies;
      this.#selections += now[1] - selections;
      this.#known.set(document, now);
    }
  }

  async #downloads(options: SendOptions): Promise<readonly string[]> {
    return this.#page.downloads.length === 0 ? [] : this.#page.downloadsSince(0, options);
  }
}
