import { sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { contains, intersect, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type { CallOptions, ElementOwner, HastyOptions, Tree, TreeOptions } from "../backend.ts";
import {
  appElement,
  attribute,
  booleanValue,
  needSuccess,
  pidOf,
  plain,
  pointerIn,
  silenceMs,
  windowIdOf,
} from "./ax.ts";
import { constants } from "./bindings/constants.ts";
import { itemsOf } from "./cf.ts";
import { describeElement } from "./elements/describe.ts";
import { readFacts, type Facts } from "./elements/facts.ts";
import { performOn } from "./elements/perform.ts";
import { Registry } from "./elements/registry.ts";
import { containers } from "./elements/roles.ts";
import type { Mac, Own } from "./mac.ts";
import { needPermission } from "./permissions.ts";

/** Chromium and Electron build their tree only when asked, and need this long for it (reported, unverified). */
const buildMs = 500;
const deepest = 60;

interface Reading {
  readonly own: Own;
  readonly deadline: number;
  readonly pid: number;
  readonly nodes: UiNode[];
  readonly omitted: { readonly parent: string; readonly count: number }[];
  readonly maxNodes: number;
  /** Also what is scrolled away: it was asked for by name. */
  readonly isWhole: boolean;
}

interface Surroundings {
  readonly parent: string | undefined;
  readonly windowId: number | undefined;
  readonly shown: Rect | undefined;
  readonly depth: number;
}

/** Elements as the apps describe them, through the accessibility interface. */
export class MacElements implements Disposable {
  readonly #mac: Mac;
  readonly registry: Registry;
  readonly #awake = new Set<number>();

  constructor(mac: Mac) {
    this.#mac = mac;
    this.registry = new Registry(mac);
  }

  async tree(owner: ElementOwner, { maxNodes, root, timeoutMs = silenceMs, signal }: TreeOptions): Promise<Tree> {
    this.#check(signal, timeoutMs);
    const { pid, windowId } = owner;
    await this.#wake(pid, signal);
    return this.#mac.burst((own) => {
      const reading: Reading = {
        own,
        deadline: performance.now() + timeoutMs,
        pid,
        nodes: [],
        omitted: [],
        maxNodes,
        isWhole: root !== undefined,
      };
      const app = appElement(this.#mac, own, pid);
      if (root !== undefined) {
        const known = this.#need(root);
        const around = {
          parent: known.parent,
          windowId: this.#windowOf(own, known.element),
          shown: undefined,
          depth: 0,
        };
        this.#read(reading, known.id, known.element, around);
        // It was asked what is below it.
        reading.nodes.shift();
        return { nodes: reading.nodes, omitted: reading.omitted };
      }
      const tops = this.#topLevels(own, app, pid);
      for (const { id, element, windowId: window } of tops) {
        if (windowId !== undefined && window !== undefined && window !== windowId) continue;
        if (reading.nodes.length >= maxNodes) break;
        this.#read(reading, id, element, { parent: undefined, windowId: window, shown: undefined, depth: 0 });
      }
      return { nodes: reading.nodes, omitted: reading.omitted };
    });
  }

  async at(
    point: ScreenPoint,
    { pid, timeoutMs = silenceMs, signal }: HastyOptions & { readonly pid?: number | undefined } = {},
  ): Promise<readonly UiNode[]> {
    this.#check(signal, timeoutMs);
    const { native } = this.#mac;
    return this.#mac.burst((own) => {
      const from = pid === undefined ? this.#mac.everything : appElement(this.#mac, own, pid);
      const found = new BigUint64Array(1);
      const code = native.AXUIElementCopyElementAtPosition(from, point.x, point.y, found);
      if (code === constants.kAXErrorNoValue) return [];
      needSuccess(code, "looking at the point");
      const hit = own(pointerIn(found));
      if (hit === null) return [];
      return this.#chain(own, this.#mostSpecific(own, hit, point, 0));
    });
  }

  async focused({ timeoutMs = silenceMs, signal }: HastyOptions = {}): Promise<UiNode | undefined> {
    this.#check(signal, timeoutMs);
    return this.#mac.burst((own) => {
      const element = attribute(this.#mac, own, this.#mac.everything, "AXFocusedUIElement");
      return element === null ? undefined : this.#chain(own, element)[0];
    });
  }

  async read(
    ids: readonly string[],
    { timeoutMs = silenceMs, signal }: HastyOptions = {},
  ): Promise<readonly (UiNode | undefined)[]> {
    this.#check(signal, timeoutMs);
    return this.#mac.burst((own) => ids.map((id) => this.#readOne(own, id)));
  }

  async perform(id: string, action: NodeAction, { signal }: CallOptions = {}): Promise<{ readonly via: string }> {
    this.#check(signal);
    const { element } = this.#need(id);
    return this.#mac.burst((own) => ({ via: performOn(this.#mac, own, element, action) }));
  }

  async text(
    id: string,
    { maxChars, signal }: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined> {
    this.#check(signal);
    const known = this.registry.find(id);
    if (!known) return undefined;
    return this.#mac.burst((own) => {
      const facts = readFacts(this.#mac, own, known.element);
      if (facts.subrole === "AXSecureTextField") return undefined;
      const text = String(facts.get("AXValue") ?? facts.get("AXTitle") ?? "");
      return { text: text.slice(0, maxChars), length: text.length };
    });
  }

  /** One round trip to the focused app: it answers after what it was sent before. */
  settle(): void {
    try {
      this.#mac.burst((own) => attribute(this.#mac, own, this.#mac.everything, "AXFocusedUIElement"));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }

  [Symbol.dispose](): void {
    this.registry[Symbol.dispose]();
  }

  #check(signal: AbortSignal | undefined, timeoutMs: number = silenceMs): void {
    throwIfCancelled(signal);
    needPermission(this.#mac, "Accessibility");
    this.#mac.setPatience(timeoutMs);
  }

  #need(id: string): NonNullable<ReturnType<Registry["find"]>> {
    const known = this.registry.find(id);
    if (known) return known;
    throw new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });
  }

  async #wake(pid: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#awake.has(pid)) return;
    const { native } = this.#mac;
    const code = this.#mac.burst((own) => {
      const app = appElement(this.#mac, own, pid);
      return native.AXUIElementSetAttributeValue(
        app,
        this.#mac.name("AXManualAccessibility"),
        booleanValue(this.#mac, true),
      );
    });
    if (code === constants.kAXErrorCannotComplete) needSuccess(code, "asking for its elements");
    this.#awake.add(pid);
    if (code === constants.kAXErrorSuccess) await sleep(buildMs, signal);
  }

  #topLevels(
    own: Own,
    app: bigint,
    pid: number,
  ): readonly { readonly id: string; readonly element: bigint; readonly windowId: number | undefined }[] {
    const { native } = this.#mac;
    const windows = itemsOf(native, attribute(this.#mac, own, app, "AXWindows")).filter((window) => window !== null);
    const bar = attribute(this.#mac, own, app, "AXMenuBar");
    const elements = [...windows, ...(bar === null ? [] : [bar])];
    const ids = this.registry.children(pid, undefined, elements);
    return elements.map((element, index) => ({
      id: ids[index] ?? "",
      element,
      windowId: windows.includes(element) ? windowIdOf(this.#mac, element) : undefined,
    }));
  }

  /** Parents before children, siblings in order. */
  #read(reading: Reading, id: string, element: bigint, around: Surroundings): void {
    if (performance.now() > reading.deadline) {
      throw new ToolError("timeout", "Reading the elements took too long.", {
        hint: "Ask for one window, or for fewer.",
      });
    }
    const { own, pid, nodes, omitted, maxNodes, isWhole } = reading;
    const facts = readFacts(this.#mac, own, element);
    const place = { runtimeId: id, parent: around.parent, pid, windowId: around.windowId, shown: around.shown };
    const node = describeElement(this.#mac, own, facts, place);
    const children = this.registry.children(pid, id, facts.children);
    // What is in the window is listed even if the window itself reports no place.
    if (!isWhole && around.depth > 0 && !node.states.includes("showing")) return;
    nodes.push(node);
    if (around.depth > deepest) return;
    const shown = shownBy(facts, around.shown);
    for (const [index, child] of facts.children.entries()) {
      if (nodes.length >= maxNodes) {
        omitted.push({ parent: id, count: facts.children.length - index });
        return;
      }
      const below = {
        parent: id,
        windowId: around.windowId,
        shown: isWhole ? undefined : shown,
        depth: around.depth + 1,
      };
      this.#read(reading, children[index] ?? "", child, below);
    }
  }

  #readOne(own: Own, id: string): UiNode | undefined {
    const known = this.registry.find(id);
    if (!known) return undefined;
    try {
      const facts = readFacts(this.#mac, own, known.element);
      const windowId = this.#windowOf(own, known.element);
      const place = { runtimeId: id, parent: known.parent, pid: known.pid, windowId, shown: this.#shownTo(own, id) };
      return describeElement(this.#mac, own, facts, place);
    } catch (error) {
      if (error instanceof ToolError && error.code === "uid_not_found") return undefined;
      throw error;
    }
  }

  /** What the ancestors of an element leave of the screen. */
  #shownTo(own: Own, id: string): Rect | undefined {
    const parent = this.registry.find(id)?.parent;
    const known = parent === undefined ? undefined : this.registry.find(parent);
    if (!known) return undefined;
    return shownBy(readFacts(this.#mac, own, known.element), this.#shownTo(own, known.id));
  }

  /** From the element outwards. */
  #chain(own: Own, element: bigint): readonly UiNode[] {
    const ids: string[] = [];
    let id = this.registry.resolve(own, element);
    while (id !== undefined) {
      ids.push(id);
      id = this.registry.find(id)?.parent;
    }
    return ids.map((each) => this.#readOne(own, each)).filter((node) => node !== undefined);
  }

  /** A hit on a container is walked on to what lies in it at that point. */
  #mostSpecific(own: Own, element: bigint, point: ScreenPoint, depth: number): bigint {
    const facts = readFacts(this.#mac, own, element);
    if (!containers.has(facts.role) || depth > deepest) return element;
    const inside = facts.children.filter((child) => {
      const { bounds } = readFacts(this.#mac, own, child);
      return bounds !== undefined && contains(bounds, point);
    });
    const last = inside.at(-1);
    return last === undefined ? element : this.#mostSpecific(own, last, point, depth + 1);
  }

  #windowOf(own: Own, element: bigint): number | undefined {
    const window = attribute(this.#mac, own, element, "AXWindow");
    const isWindow = String(plain(this.#mac, attribute(this.#mac, own, element, "AXRole")) ?? "") === "AXWindow";
    return windowIdOf(this.#mac, isWindow ? element : (window ?? element));
  }

  /** The process of an element, for events. */
  pidOf(element: bigint): number | undefined {
    return pidOf(this.#mac, element);
  }
}

/** Scroll areas and windows cut off what is in them. */
function shownBy({ role, bounds }: Facts, outer: Rect | undefined): Rect | undefined {
  if (!bounds || (role !== "AXScrollArea" && role !== "AXWindow")) return outer;
  return outer ? (intersect(bounds, outer) ?? { ...bounds, width: 0, height: 0 }) : bounds;
}
