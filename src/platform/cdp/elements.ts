import { ToolError } from "../../base/errors.ts";
import type { NodeAction } from "../../base/node.ts";
import type { Elements } from "../backend.ts";
import { filesWanted } from "../page-acts.ts";
import { toScope } from "../scope.ts";
import { aimAt, click, fill } from "./actions.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import type { PageInput } from "./input.ts";
import { followSecretFields } from "./secret-fields.ts";
import { FrameBlocked } from "./refusals.ts";
import { readTree } from "./tree.ts";
import { goneError, readNode } from "./witness.ts";

export function elementsOf(page: AttachedPage, input: PageInput): Elements {
  return {
    isDocument: true,
    scope: toScope,
    // Pointer events close menus that are drawn by a script.
    pressing: { breaksMenus: true, isClick: true },
    async tree(_scope, { maxNodes, root, signal, timeoutMs }) {
      const below = root === undefined ? undefined : page.owner(root);
      const { nodes, total } = await readTree(page, { maxNodes, root: below, signal, timeoutMs });
      const [first] = nodes;
      const left = total - nodes.length;
      return { nodes, omitted: first && left > 0 ? [{ parent: first.runtimeId, count: left }] : [] };
    },
    async at(point, { signal, timeoutMs } = {}) {
      const options = { signal, timeoutMs };
      return onDocument(
        page,
        async () => {
          await page.blocked.look(options);
          const document = await page.mainDocument(options);
          const ids = await document.call("at", [point.x, point.y], options);
          const nodes = await Promise.all(
            ids
              .slice(0, 12)
              .map((local) =>
                readNode(page, { pageId: page.target.id, frameId: document.frameId, document, local }, options),
              ),
          );
          const found = nodes.filter((node) => node !== undefined);
          // Wrappers without a meaning of their own only hide the element that counts.
          return found.filter((node, index) => index === 0 || node.nativeRole !== "text");
        },
        signal,
      );
    },
    async focused({ signal, timeoutMs } = {}) {
      const options = { signal, timeoutMs };
      return onDocument(
        page,
        async () => {
          for (const frame of (await page.blocked.open(options)).toReversed()) {
            const document = await frame.document(options);
            const local = await document.call("activeId", [], options);
            const node =
              local === 0
                ? undefined
                : await readNode(page, { pageId: page.target.id, frameId: frame.id, document, local }, options);
            if (node && node.nativeRole !== "iframe") return node;
          }
          return undefined;
        },
        signal,
      );
    },
    async read(runtimeIds, { signal, timeoutMs } = {}) {
      page.needResponsive();
      return Promise.all(
        runtimeIds.map(async (id) => {
          try {
            return await readNode(page, page.owner(id), { signal, timeoutMs });
          } catch (error) {
            if (error instanceof ToolError && (error.code === "snapshot_expired" || error.code === "invalid_argument"))
              return undefined;
            if (error instanceof FrameBlocked) return undefined;
            if (error instanceof Error && error.name === "DocumentGone") return undefined;
            throw error;
          }
        }),
      );
    },
    followSecretFields: ({ signal, hasFields = true } = {}) => followSecretFields(page, hasFields, { signal }),
    perform: (runtimeId, action, { signal } = {}) => perform(page, input, runtimeId, action, signal),
    async text(runtimeId, { maxChars, signal }) {
      const owner = page.owner(runtimeId);
      const text = await onDocument(page, () => owner.document.call("textOf", [owner.local], { signal }), signal);
      return text === undefined ? undefined : { text: text.slice(0, maxChars), length: text.length };
    },
  };
}

async function perform(
  page: AttachedPage,
  input: PageInput,
  ref: string,
  action: NodeAction,
  signal: AbortSignal | undefined,
): Promise<{ readonly via: string }> {
  const owner = { ...page.owner(ref), ref };
  const options = { settleMs: 0, signal };
  switch (action.name) {
    case "set_value":
      return setValue(page, input, ref, String(action.value), signal);
    case "focus":
      await owner.document.call("focus", [owner.local], { signal });
      return { via: "focus()" };
    case "scroll_into_view":
      await owner.document.call("scrollTo", [owner.local], { signal });
      return { via: "scrollIntoView()" };
    case "scroll_to":
      if (await owner.document.call("scrollBox", [owner.local, action], { signal })) return { via: "scrollTo()" };
      throw new ToolError("pattern_unsupported", `Nothing around ${ref} scrolls that way.`, {
        hint: "Use scroll, which turns the mouse wheel over it.",
      });
    case "expand":
    case "collapse":
      if (await owner.document.call("setDisclosure", [owner.local, action.name === "expand"], { signal }))
        return { via: "details" };
      throw new ToolError("not_dispatchable", `${ref} cannot be opened without a click.`);
    case "menu": {
      const at = await aimAt(page, owner, { signal }, { force: true, guard: false });
      await input.move(at, { signal });
      await input.down("right", { signal });
      await input.up("right");
      return { via: "mouse" };
    }
    case "press":
    case "toggle":
    case "select":
      if (!(await owner.document.call("read", [owner.local], { signal }))) throw goneError(ref);
      return { via: (await click(page, input, ref, { ...options, double: false })).via };
  }
}

async function setValue(
  page: AttachedPage,
  input: PageInput,
  ref: string,
  text: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly via: string }> {
  const { via, value } = await fill(page, input, ref, { value: text }, { settleMs: 0, signal });
  if (value === filesWanted) throw new ToolError("denied", "Only cdp_fill can give files to a page.");
  return { via };
}
