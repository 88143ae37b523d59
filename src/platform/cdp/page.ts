import type { ElementAtPoint, Page } from "../browser.ts";
import type { PageDialog } from "../page-acts.ts";
import type { Backend, CallOptions } from "../backend.ts";
import type { Rect } from "../../base/geometry.ts";
import { readNode } from "./witness.ts";
import { PageInput } from "./input.ts";
import { findMapping, nodeAt, toDesktop, toPage } from "./mapping.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import { pageBackend } from "./backend.ts";
import type { DecodePicture } from "./screen.ts";
import { readTree, searchTree } from "./tree.ts";
import { waitForText } from "./wait.ts";

/** The page as the browser tools see it. */
export class CdpPage implements Page {
  readonly core: AttachedPage;
  readonly backend: Backend;
  readonly #input: PageInput;

  constructor(core: AttachedPage, decode: DecodePicture) {
    this.core = core;
    this.#input = new PageInput(core);
    this.backend = pageBackend(core, this.#input, decode);
  }

  get id(): string {
    return this.core.target.id;
  }

  /**
   * The current title and address, which the rules depend on. Asks the browser if the page itself does not report
   * them.
   */
  async info({ signal }: CallOptions = {}) {
    const { target, wire, title } = this.core;
    // A page that waits at a dialog, or is being left, reports nothing.
    if (title.isKnown && !this.core.isLoading && !this.core.dialog) return this.core.info();
    const now = await wire.root.attempt("Target.getTargetInfo", { targetId: target.targetId }, { signal });
    if (now) target.see(now.targetInfo);
    return this.core.info();
  }

  trouble() {
    return this.core.troubles.take();
  }

  dialog(): PageDialog | undefined {
    return this.core.dialog;
  }

  tree({ maxNodes, signal }: CallOptions & { readonly maxNodes: number }) {
    return readTree(this.core, { maxNodes, isBrief: true, signal });
  }

  search(query: { readonly text: string; readonly role: string; readonly max: number }, { signal }: CallOptions) {
    return searchTree(this.core, query, { signal });
  }

  waitForText(texts: readonly string[], options: CallOptions & { readonly timeoutMs: number }) {
    return waitForText(this.core, texts, options);
  }

  async elementAt(point: { readonly x: number; readonly y: number }, { signal }: CallOptions): Promise<ElementAtPoint> {
    const { core } = this;
    const at = toPage(await findMapping(core, { signal }), point);
    const found = await nodeAt(core, at, { signal });
    return onDocument(
      core,
      async () => {
        const frame = core.frames.get(found.frameId) ?? core.frames.main;
        const document = await frame?.document({ signal });
        if (!frame || !document) return { backendNodeId: found.backendNodeId, ...at };
        // A text node has no number; its element has.
        const described = await found.session.attempt(
          "DOM.describeNode",
          { backendNodeId: found.backendNodeId },
          { signal },
        );
        const resolved = await found.session.attempt(
          "DOM.resolveNode",
          { backendNodeId: found.backendNodeId, executionContextId: document.contextId },
          { signal },
        );
        const objectId = resolved?.object.objectId;
        if (objectId === undefined) return { backendNodeId: found.backendNodeId, ...at };
        const isText = described?.node.nodeType === 3;
        const { value: local } = await document.handle(isText ? "knownParent" : "knownNumber", [{ objectId }], {
          signal,
        });
        const ref = local === 0 ? undefined : core.elementIds.peek(document, local);
        const node = ref === undefined ? undefined : await readNode(core, core.owner(ref), { signal });
        return { backendNodeId: found.backendNodeId, ...at, node };
      },
      signal,
    );
  }

  async toDesktop(rect: Rect, { signal }: CallOptions): Promise<Rect> {
    return toDesktop(await findMapping(this.core, { signal }), rect);
  }
}
