import { intersect, type Rect } from "../../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../../base/node.ts";
import {
  controlId,
  controlOf,
  hasWindowsInside,
  isPasswordField,
  itemsOf,
  parseControlId,
  toControlNode,
  type Control,
} from "./controls.ts";
import { performControl } from "./control-perform.ts";
import type { Branch } from "./gather.ts";
import { gone } from "./refusals.ts";
import type { Rung, RungContext, RungText } from "./rung.ts";
import type { WindowFacts } from "./window.ts";

/** Elements from the windows inside a window, and from the messages that standard controls answer. */
export class ControlRung implements Rung {
  readonly name = "child windows";
  readonly prefix = "h";
  readonly #facts: WindowFacts;

  constructor(facts: WindowFacts) {
    this.#facts = facts;
  }

  open(hwnd: number, context: RungContext): Branch | undefined {
    return this.#facts.exists(hwnd) ? this.#branch(hwnd, undefined, context) : undefined;
  }

  windowOf(id: string): number | undefined {
    const hwnd = parseControlId(id)?.hwnd;
    return hwnd === undefined ? undefined : this.#facts.rootOf(hwnd);
  }

  branch(id: string, context: RungContext): Branch | undefined {
    const { hwnd = 0, key } = parseControlId(id) ?? {};
    if (!this.#facts.exists(hwnd)) return undefined;
    if (key === undefined) return this.#branch(hwnd, this.#parentOf(hwnd), context);
    const node = this.read(id, context);
    return node && { node, children: () => ({ branches: [] }) };
  }

  read(id: string, context: RungContext): UiNode | undefined {
    const { hwnd = 0, key } = parseControlId(id) ?? {};
    if (!this.#facts.exists(hwnd)) return undefined;
    const control = controlOf(this.#facts, hwnd);
    if (key === undefined) return this.#node(control, this.#parentOf(hwnd), context);
    return itemsOf(this.#facts, control, context).nodes.find(({ runtimeId }) => runtimeId === id);
  }

  perform(id: string, action: NodeAction, context: RungContext, begin: (via: string) => void): string {
    const { hwnd = 0, key } = parseControlId(id) ?? {};
    const node = this.read(id, context);
    if (!node) throw gone();
    begin(`a message for ${action.name}`);
    const control = controlOf(this.#facts, hwnd);
    return performControl({ facts: this.#facts, control, key, node, deadline: context.deadline }, action);
  }

  text(id: string, maxChars: number, context: RungContext): RungText | undefined {
    const { hwnd = 0, key } = parseControlId(id) ?? {};
    if (!this.#facts.exists(hwnd)) return undefined;
    const control = controlOf(this.#facts, hwnd);
    if (isPasswordField(control)) return undefined;
    const text =
      key === undefined
        ? this.#facts.textOf(hwnd, context.deadline).replaceAll("\r\n", "\n")
        : (this.read(id, context)?.name ?? "");
    return { text: text.slice(0, maxChars), length: text.length };
  }

  focused(hwnd: number, context: RungContext): UiNode | undefined {
    const { focus } = this.#facts.guiThread(hwnd);
    return focus !== 0 && this.#facts.rootOf(focus) === hwnd ? this.read(controlId(focus), context) : undefined;
  }

  release(): void {}

  #parentOf(hwnd: number): string | undefined {
    const direct = 1;
    return this.#facts.rootOf(hwnd) === hwnd ? undefined : controlId(this.#facts.win32.ancestor(hwnd, direct));
  }

  #node(control: Control, parent: string | undefined, { clip, deadline }: RungContext): UiNode {
    const { focus } = this.#facts.guiThread(control.hwnd);
    return toControlNode(this.#facts, control, { parent, clip, focus, deadline });
  }

  #branch(hwnd: number, parent: string | undefined, context: RungContext): Branch {
    const control = controlOf(this.#facts, hwnd);
    return { node: this.#node(control, parent, context), children: () => this.#childrenOf(control, context) };
  }

  #childrenOf(control: Control, context: RungContext): { branches: readonly Branch[]; omitted: number } {
    const { hwnd } = control;
    const inside = { ...context, clip: within(context.clip, this.#facts.boundsOf(hwnd)) };
    const { nodes, omitted } = itemsOf(this.#facts, control, inside);
    const items = toTree(nodes, controlId(hwnd));
    const windows = hasWindowsInside(control) ? this.#facts.childrenOf(hwnd) : [];
    const visible = windows.filter((child) => this.#facts.win32.isVisible(child) !== 0);
    const branches = visible.map((child) => this.#branch(child, controlId(hwnd), inside));
    return { branches: [...items, ...branches], omitted };
  }
}

const within = (clip: Rect | undefined, bounds: Rect | undefined): Rect | undefined =>
  clip && bounds ? (intersect(clip, bounds) ?? { ...bounds, width: 0, height: 0 }) : (clip ?? bounds);

function toTree(nodes: readonly UiNode[], parent: string): readonly Branch[] {
  return nodes
    .filter((node) => node.parent === parent)
    .map((node) => ({ node, children: () => ({ branches: toTree(nodes, node.runtimeId) }) }));
}
