import type { ScreenPoint } from "../../../base/geometry.ts";
import { contains } from "../../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../../base/node.ts";
import type { ComObject } from "./com.ts";
import type { Branch } from "./gather.ts";
import { KnownObjects } from "./known-objects.ts";
import { gone } from "./refusals.ts";
import type { Rung, RungContext, RungText } from "./rung.ts";
import { toUiaNode, type Properties } from "./uia-describe.ts";
import { performUia, readUiaText } from "./uia-perform.ts";
import { property } from "./uia-names.ts";
import { runtimeIdOf, type Uia, type UiaElement } from "./uia.ts";
import type { WindowFacts } from "./window.ts";

type Facts = Pick<WindowFacts, "pidOf" | "exists">;
const prefix = "u";
/** A tree that leads in circles must end somewhere. */
const mostSearched = 5000;

/** Elements over UI Automation. */
export class UiaRung implements Rung {
  readonly name = "UI Automation";
  readonly prefix = prefix;
  readonly #uia: Uia;
  readonly #facts: Facts;
  readonly #known = new KnownObjects<UiaElement>();

  constructor(uia: Uia, facts: Facts) {
    this.#uia = uia;
    this.#facts = facts;
  }

  open(hwnd: number, context: RungContext): Branch | undefined {
    this.#known.begin(hwnd);
    this.#known.drop((each) => !this.#facts.exists(each));
    const root = this.#uia.fromWindow(hwnd);
    if (!root) return undefined;
    const branch = this.#branch(hwnd, root, undefined, context, this.#uia.withSubtree(root.object));
    // Without a provider of its own a window is a single element that says nothing.
    return branch && branch.children().branches.length > 0 ? branch : undefined;
  }

  finish(hwnd: number): void {
    this.#known.finish(hwnd);
  }

  windowOf(id: string): number | undefined {
    const match = /^u(\d+)\//.exec(id);
    return match ? Number(match[1]) : undefined;
  }

  branch(id: string, context: RungContext): Branch | undefined {
    const hwnd = this.windowOf(id) ?? 0;
    const element = this.#current(id, context);
    return element && this.#branch(hwnd, element, this.#known.parentOf(hwnd, id), context);
  }

  read(id: string, context: RungContext): UiNode | undefined {
    const element = this.#current(id, context);
    if (!element) return undefined;
    return this.#node(id, element, context, this.#uia.clickablePoint(element.object));
  }

  perform(id: string, action: NodeAction, context: RungContext, begin: (via: string) => void): string {
    const element = this.#current(id, context);
    if (!element) throw gone();
    begin(`UI Automation ${action.name}`);
    return performUia({ uia: this.#uia, object: element.object, node: this.#node(id, element, context) }, action);
  }

  text(id: string, maxChars: number, context: RungContext): RungText | undefined {
    const element = this.#current(id, context);
    if (!element || element.properties.get(property.isPassword) === true) return undefined;
    const content = readUiaText({ uia: this.#uia, object: element.object }, maxChars);
    if (content) return content;
    const { name } = this.#node(id, element, context);
    return { text: name.slice(0, maxChars), length: name.length };
  }

  focused(hwnd: number, context: RungContext): UiNode | undefined {
    const found = this.#uia.focused();
    const id = found && idOf(hwnd, found.properties);
    const isOurs = found?.properties.get(property.processId) === this.#facts.pidOf(hwnd);
    if (found && id !== undefined && isOurs && found.properties.get(property.hasFocus) === true) {
      this.#known.put(hwnd, id, found, this.#known.parentOf(hwnd, id));
      return this.#node(id, found, context);
    }
    found?.object.release();
    return undefined;
  }

  /** Where the platform stops at a container, its most specific child is looked for. */
  at(hwnd: number, point: ScreenPoint, context: RungContext): readonly UiNode[] | undefined {
    const found = this.#uia.fromPoint(point);
    if (!found) return undefined;
    const chain = [this.#innermost(found, point, context)];
    for (let last = chain[0]; last; last = chain.at(-1)) {
      context.deadline.check();
      const parent = this.#uia.parent(last.object);
      context.deadline.heard();
      const handle = parent && runtimeIdOf(parent.properties);
      if (parent) chain.push(parent);
      // The window itself is the last: its parent is the desktop.
      if (!parent || handle === `42.${hwnd}` || chain.length > 100) break;
    }
    return this.#placed(hwnd, chain, context);
  }

  release(): void {
    this.#known.drop();
    this.#uia.release();
  }

  #innermost(found: UiaElement, point: ScreenPoint, context: RungContext): UiaElement {
    let inner = found;
    for (;;) {
      context.deadline.check();
      const children = this.#uia.children(inner.object);
      context.deadline.heard();
      const next = children.findLast(({ properties }) => {
        const place = properties.get(property.bounds) as readonly number[] | undefined;
        const [x = 0, y = 0, width = 0, height = 0] = place ?? [];
        return properties.get(property.isOffscreen) !== true && contains({ x, y, width, height }, point);
      });
      for (const child of children) if (child !== next) child.object.release();
      if (!next) return inner;
      inner.object.release();
      inner = next;
    }
  }

  #placed(hwnd: number, chain: readonly UiaElement[], context: RungContext): readonly UiNode[] {
    const ids = chain.map(({ properties }) => idOf(hwnd, properties));
    return chain.flatMap((element, index) => {
      const id = ids[index];
      if (id === undefined) {
        element.object.release();
        return [];
      }
      this.#known.put(hwnd, id, element, ids[index + 1]);
      return [this.#node(id, element, context)];
    });
  }

  #node(id: string, { properties }: UiaElement, { clip }: RungContext, clickPoint?: ScreenPoint): UiNode {
    const hwnd = this.windowOf(id) ?? 0;
    const parent = this.#known.parentOf(hwnd, id);
    const pid = this.#facts.pidOf(hwnd);
    return toUiaNode(properties, { id, parent, windowId: hwnd, pid, clip, clickPoint });
  }

  /** The element as it is now, found again by its id if this thread has never seen it. */
  #current(id: string, context: RungContext): UiaElement | undefined {
    const hwnd = this.windowOf(id);
    if (hwnd === undefined || !this.#facts.exists(hwnd)) return undefined;
    if (!this.#known.get(hwnd, id)) this.#search(hwnd, id, context);
    const known = this.#known.get(hwnd, id);
    const now = known && this.#uia.refresh(known.object);
    if (!now) return undefined;
    if (idOf(hwnd, now.properties) !== id) {
      now.object.release();
      return undefined;
    }
    this.#known.replace(hwnd, id, now);
    return now;
  }

  #search(hwnd: number, id: string, context: RungContext): void {
    const root = this.open(hwnd, context);
    const level = root ? [root] : [];
    for (let count = 0; count < mostSearched; count++) {
      const next = level.shift();
      if (!next || next.node.runtimeId === id) return;
      context.deadline.check();
      level.push(...next.children().branches);
      context.deadline.heard();
    }
  }

  #branch(
    hwnd: number,
    element: UiaElement,
    parent: string | undefined,
    context: RungContext,
    subtree?: ComObject,
  ): Branch | undefined {
    const id = idOf(hwnd, element.properties);
    if (id === undefined) {
      element.object.release();
      subtree?.release();
      return undefined;
    }
    this.#known.put(hwnd, id, element, parent);
    let read: readonly Branch[] | undefined;
    return {
      node: this.#node(id, element, context),
      children: () => {
        read ??= this.#childrenOf(hwnd, element, id, context, subtree);
        return { branches: read };
      },
    };
  }

  #childrenOf(
    hwnd: number,
    element: UiaElement,
    id: string,
    context: RungContext,
    subtree: ComObject | undefined,
  ): readonly Branch[] {
    const found = subtree ? this.#uia.cachedChildren(subtree) : this.#uia.children(element.object);
    // Children that came with a subtree carry their own; the known element keeps it alive.
    if (subtree && subtree !== element.object) subtree.release();
    return found.flatMap((child) => this.#branch(hwnd, child, id, context, subtree && child.object) ?? []);
  }
}

function idOf(hwnd: number, properties: Properties): string | undefined {
  const runtimeId = runtimeIdOf(properties);
  return runtimeId === undefined ? undefined : `${prefix}${hwnd}/${runtimeId}`;
}
