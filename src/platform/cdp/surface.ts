import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { intersect, screenPoint, type Rect } from "../../base/geometry.ts";
import type { Pixels } from "../../base/frame.ts";
import type { NodeAction } from "../../base/node.ts";
import type {
  Backend,
  Button,
  CaptureArea,
  Elements,
  Events,
  Keyboard,
  Pointer,
  Screen,
  WindowInfo,
  Windows,
} from "../backend.ts";
import { toScope } from "../scope.ts";
import { aimAt, click, fill } from "./actions.ts";
import { goneError, readNode } from "./witness.ts";
import { performDeed } from "./deeds.ts";
import { watchPage } from "./events.ts";
import type { PageInput } from "./input.ts";
import { DialogOpened } from "./interrupt.ts";
import { onDocument, type PageCore } from "./page.ts";
import { followSecretFields } from "./secret-fields.ts";
import { pagePid, pageWindowId, readTree } from "./tree.ts";

export type DecodePicture = (bytes: Uint8Array) => Promise<Pixels>;

// What browsers scroll for one notch of a wheel.
const pixelsPerNotch = 100;

/** A page as a surface: its viewport is the screen, its one window, in CSS pixels. */
export function pageBackend(page: PageCore, input: PageInput, decode: DecodePicture): Backend {
  return {
    id: `cdp ${page.target.id}`,
    screen: screenOf(page, decode),
    pointer: pointerOf(page, input),
    keyboard: keyboardOf(page, input),
    windows: windowsOf(page),
    elements: elementsOf(page, input),
    events: eventsOf(page),
    page: { perform: (deed, options) => performDeed(page, input, deed, options) },
    diagnose: async () => [
      page.ended
        ? { ability: "connection", status: "missing", detail: page.ended.message }
        : { ability: "connection", status: "ok", detail: `${page.target.id} answers: ${page.target.info().url}` },
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}

async function viewport(page: PageCore, signal: AbortSignal | undefined): Promise<Rect> {
  return onDocument(
    page,
    async () => {
      const { innerWidth, innerHeight } = await (await page.mainDocument({ signal })).call("measure", [], { signal });
      return { x: 0, y: 0, width: innerWidth, height: innerHeight };
    },
    signal,
  );
}

function screenOf(page: PageCore, decode: DecodePicture): Screen {
  const capture: Screen["capture"] = async (area: CaptureArea, { signal } = {}) => {
    page.needResponsive();
    const bounds = partOf(await viewport(page, signal), area);
    const { data } = await page.interrupts.race(
      page.session.send(
        "Page.captureScreenshot",
        {
          format: "png",
          optimizeForSpeed: true,
          ...(area.kind === "region" ? { clip: { ...(await inDocument(page, bounds, signal)), scale: 1 } } : {}),
        },
        { signal, timeoutMs: 10_000 },
      ),
    );
    return { pixels: await decode(Buffer.from(data, "base64")), bounds, [Symbol.dispose]() {} };
  };
  return {
    displays: async ({ signal } = {}) => [
      { id: viewportId, name: "viewport", bounds: await viewport(page, signal), isPrimary: true, scale: 1 },
    ],
    bounds: ({ signal } = {}) => viewport(page, signal),
    capture,
  };
}

/** The part of the viewport that is asked for; the page's one display and one window are all of it. */
function partOf(view: Rect, area: CaptureArea): Rect {
  if (area.kind === "display" && area.displayId !== viewportId) {
    throw new ToolError("not_found", `A page has no display ${area.displayId}.`);
  }
  if (area.kind === "window" && area.windowId !== pageWindowId) throw noWindow(area.windowId);
  if (area.kind !== "region") return view;
  const shown = intersect(area.rect, view);
  if (shown) return shown;
  throw new ToolError("out_of_bounds", `The region is outside the page's viewport (${view.width}×${view.height}).`, {
    hint: "Scroll there first.",
  });
}

const viewportId = 0;

const noWindow = (id: number): ToolError => new ToolError("window_gone", `The page has no window ${id}.`);

async function inDocument(page: PageCore, rect: Rect, signal: AbortSignal | undefined): Promise<Rect> {
  const [x, y] = await (await page.mainDocument({ signal })).call("scrolled", [], { signal });
  return { ...rect, x: rect.x + x, y: rect.y + y };
}

function pointerOf(page: PageCore, input: PageInput): Pointer {
  const send = (signal: AbortSignal | undefined) => {
    throwIfCancelled(signal);
    page.needResponsive();
    return { signal };
  };
  return {
    position: async () => screenPoint(input.at.x, input.at.y),
    async move(to, { signal } = {}) {
      await arrived(input.move(to, send(signal)));
    },
    async down(button: Button, { signal } = {}) {
      await arrived(input.down(button, send(signal)));
    },
    up: (button: Button) => arrived(input.up(button)),
    async wheel({ x, y }, { signal } = {}) {
      await arrived(input.wheel({ x: x * pixelsPerNotch, y: y * pixelsPerNotch }, send(signal)));
    },
  };
}

function keyboardOf(page: PageCore, input: PageInput): Keyboard {
  return {
    down: (key, { signal } = {}) => arrived(input.keyDown(key, { signal })),
    up: (key) => arrived(input.keyUp(key)),
    async text(text, { signal, delayMs } = {}) {
      try {
        await input.type(text, { signal, delayMs });
      } catch (error) {
        // What comes after it was not typed, unlike an event that opens a dialog.
        if (error instanceof DialogOpened) page.needResponsive();
        throw error;
      }
    },
  };
}

/** An event that opens a dialog has arrived, though the page does not say so until the dialog is closed. */
async function arrived(sent: Promise<void>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!(error instanceof DialogOpened)) throw error;
  }
}

const dialogWindowId = 2;

function windowsOf(page: PageCore): Windows {
  let view: Rect = { x: 0, y: 0, width: 0, height: 0 };
  const list = async (signal: AbortSignal | undefined): Promise<readonly WindowInfo[]> => {
    try {
      view = await viewport(page, signal);
    } catch (error) {
      // The page is still there, where it was.
      if (!page.dialog) throw error;
    }
    const { dialog } = page;
    const { title, url } = page.target.info();
    const main = { ...windowOf(pageWindowId, title, view), address: url };
    if (!dialog) return [main];
    const words = `${dialog.type}: ${dialog.message.slice(0, 200)}`;
    return [
      { ...windowOf(dialogWindowId, words, view), kind: "dialog", isMaximized: false },
      { ...main, isForeground: false },
    ];
  };
  return {
    list: async ({ signal } = {}) => list(signal),
    get: async (id, { signal } = {}) => (await list(signal)).find((each) => each.id === id),
    active: async () => (page.dialog ? dialogWindowId : pageWindowId),
    async change(id, { to }, { signal } = {}) {
      throwIfCancelled(signal);
      if (id !== pageWindowId && !(page.dialog && id === dialogWindowId)) throw noWindow(id);
      if (to === "focus" || to === "front") {
        await page.session.attempt("Page.bringToFront", undefined);
        return;
      }
      throw new ToolError("not_supported", `A page cannot be changed with "${to}".`, {
        hint: "Use cdp_close_page, or set_window on the desktop for the browser's window.",
      });
    },
  };
}

const windowOf = (id: number, title: string, bounds: Rect): WindowInfo => ({
  id,
  title,
  appName: "page",
  className: "",
  pid: pagePid,
  processName: "",
  kind: "normal",
  bounds,
  isVisible: true,
  isMinimized: false,
  isMaximized: true,
  isFullscreen: false,
  isForeground: true,
  canMinimize: false,
  canMaximize: false,
  displayId: viewportId,
});

function elementsOf(page: PageCore, input: PageInput): Elements {
  return {
    isDocument: true,
    scope: toScope,
    // Menus that a script draws are closed by what the pointer does.
    pressing: { breaksMenus: true },
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
          // Wrappers that are nothing by themselves only get in the way of what is meant.
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
          for (const frame of page.frames.all().toReversed()) {
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
            if (error instanceof Error && error.name === "DocumentGone") return undefined;
            throw error;
          }
        }),
      );
    },
    followSecretFields: ({ signal } = {}) => followSecretFields(page, { signal }),
    perform: (runtimeId, action, { signal } = {}) => perform(page, input, runtimeId, action, signal),
    async text(runtimeId, { maxChars, signal }) {
      const owner = page.owner(runtimeId);
      const text = await onDocument(page, () => owner.document.call("textOf", [owner.local], { signal }), signal);
      return text === undefined ? undefined : { text: text.slice(0, maxChars), length: text.length };
    },
  };
}

async function perform(
  page: PageCore,
  input: PageInput,
  ref: string,
  action: NodeAction,
  signal: AbortSignal | undefined,
): Promise<{ readonly via: string }> {
  const owner = { ...page.owner(ref), ref };
  const options = { settleMs: 0, signal };
  switch (action.name) {
    case "set_value":
      return { via: (await fill(page, input, ref, { value: String(action.value) }, options)).via };
    case "focus":
      await owner.document.call("focus", [owner.local], { signal });
      return { via: "focus()" };
    case "scroll_into_view":
      await owner.document.call("scrollTo", [owner.local], { signal });
      return { via: "scrollIntoView()" };
    case "scroll_to":
      if (await owner.document.call("scrollBox", [owner.local, action], { signal })) return { via: "scrollTo()" };
      throw new ToolError("pattern_unsupported", `${ref} is in nothing that scrolls that way.`, {
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

function eventsOf(page: PageCore): Events {
  return { watch: (kinds, listener, { signal } = {}) => watchPage(page, kinds, listener, signal) };
}
