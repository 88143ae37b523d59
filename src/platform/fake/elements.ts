import { ToolError } from "../../base/errors.ts";
import { centre, contains, type ScreenPoint } from "../../base/geometry.ts";
import type { NodeAction, NodeState, UiNode } from "../../base/node.ts";
import type { CallOptions, Elements, ElementScope, HastyOptions, Tree, TreeOptions } from "../backend.ts";
import { ownerOf, toScope } from "../scope.ts";

export type FakeNode = Pick<UiNode, "runtimeId" | "role"> & Partial<UiNode>;

/** What the elements need from their desktop. */
export interface Surroundings {
  /** The topmost window at the point; undefined when there is none. */
  topmostAt(point: ScreenPoint): { readonly id: number } | undefined;
  /** Resolves once the app responds; throws `timeout` if that takes too long. */
  answer(pid: number | undefined, options: HastyOptions): Promise<void>;
}

/**
 * Elements in memory that react to actions like those of a simple app. A test changes `nodes` as an app would;
 * `onPerform` is the app's additional reaction to an action.
 */
export class FakeElements implements Elements {
  #nodes: readonly UiNode[];
  readonly #desktop: Surroundings | undefined;
  readonly #listeners = new Set<(before: readonly UiNode[]) => void>();
  readonly performed: string[] = [];
  onPerform: (node: UiNode, action: NodeAction) => void = () => {};

  constructor(nodes: readonly FakeNode[], desktop?: Surroundings) {
    this.#nodes = nodes.map(complete);
    this.#desktop = desktop;
  }

  get nodes(): readonly UiNode[] {
    return this.#nodes;
  }

  set nodes(nodes: readonly UiNode[]) {
    const before = this.#nodes;
    this.#nodes = nodes;
    for (const listener of this.#listeners) listener(before);
  }

  /** Calls back after every change, with the nodes before it. */
  onChange(listener: (before: readonly UiNode[]) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  change(runtimeId: string, change: Partial<UiNode>): void {
    this.nodes = this.#nodes.map((node) => (node.runtimeId === runtimeId ? { ...node, ...change } : node));
  }

  find(runtimeId: string): UiNode | undefined {
    return this.#nodes.find((node) => node.runtimeId === runtimeId);
  }

  /** Adds a state to the element and removes another. */
  mark(runtimeId: string, add: NodeState | undefined, remove?: NodeState): void {
    const kept = (this.find(runtimeId)?.states ?? []).filter((state) => state !== remove && state !== add);
    this.change(runtimeId, { states: add === undefined ? kept : [...kept, add] });
  }

  readonly scope = toScope;

  async tree(scope: ElementScope, options: TreeOptions): Promise<Tree> {
    const { pid, windowId, popupIds = [] } = ownerOf(scope);
    await this.#desktop?.answer(pid, options);
    const { root, maxNodes } = options;
    if (root !== undefined && !this.find(root)) throw gone();
    const isIn = (id: number): boolean => id === windowId || popupIds.includes(id);
    const own = this.#nodes.filter(
      (node) => node.pid === pid && (windowId === undefined || isIn(node.windowId ?? windowId)),
    );
    // Requested explicitly, so even what is scrolled away is listed.
    const wanted =
      root === undefined
        ? own.filter(({ states }) => states.includes("showing"))
        : own.filter((node) => this.#isBelow(node, root));
    return limit(wanted.map(told), maxNodes);
  }

  async at(
    point: ScreenPoint,
    options: HastyOptions & { readonly pid?: number | undefined } = {},
  ): Promise<readonly UiNode[]> {
    const innermost = this.#innermostAt(point, options.pid);
    await this.#desktop?.answer(innermost?.pid, options);
    return innermost ? this.#withAncestors(innermost).map(told) : [];
  }

  async focused(options: HastyOptions = {}): Promise<UiNode | undefined> {
    const found = this.#nodes.find(({ states }) => states.includes("focused"));
    await this.#desktop?.answer(found?.pid, options);
    return found && told(found);
  }

  async read(runtimeIds: readonly string[], options: CallOptions = {}): Promise<readonly (UiNode | undefined)[]> {
    const found = runtimeIds.map((id) => this.find(id));
    for (const node of found) await this.#desktop?.answer(node?.pid, options);
    return found.map((node) => node && told(node));
  }

  async perform(runtimeId: string, action: NodeAction, options: CallOptions = {}): Promise<{ readonly via: string }> {
    const node = this.find(runtimeId);
    await this.#desktop?.answer(node?.pid, options);
    if (!node) throw gone();
    if (action.name !== "scroll_to" && !node.actions.includes(action.name)) {
      throw new ToolError("not_dispatchable", `${node.role} "${node.name}" has no "${action.name}".`);
    }
    this.performed.push(`${action.name} ${runtimeId}`);
    this.#carryOut(node, action);
    this.onPerform(node, action);
    return { via: action.name };
  }

  async text(
    runtimeId: string,
    options: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined> {
    const node = this.find(runtimeId);
    await this.#desktop?.answer(node?.pid, options);
    if (typeof node?.value !== "string" || node.states.includes("password")) return undefined;
    return { text: node.value.slice(0, options.maxChars), length: node.value.length };
  }

  /** How a simple app reacts to a native action. */
  #carryOut(node: UiNode, action: NodeAction): void {
    const id = node.runtimeId;
    switch (action.name) {
      case "toggle":
        return node.states.includes("checked") ? this.mark(id, undefined, "checked") : this.mark(id, "checked");
      case "set_value":
        return this.change(id, { value: typeof action.value === "boolean" ? String(action.value) : action.value });
      case "select":
        for (const other of this.#nodes) {
          if (other.parent === node.parent && other.runtimeId !== id && other.states.includes("selected")) {
            this.mark(other.runtimeId, undefined, "selected");
          }
        }
        return this.mark(id, "selected");
      case "expand":
        return this.mark(id, "expanded", "collapsed");
      case "collapse":
        return this.mark(id, "collapsed", "expanded");
      case "focus":
        return this.focus(id);
      case "scroll_into_view":
        return this.mark(id, "showing");
      case "press":
      case "menu":
      case "scroll_to":
        return;
    }
  }

  /** A clicked element reacts as it would to its native action; a field takes the focus. */
  click(point: ScreenPoint): void {
    const node = this.#innermostAt(point, undefined);
    if (!node?.states.includes("enabled")) return;
    if (node.actions.includes("focus")) this.focus(node.runtimeId);
    const name = clicked.find((each) => node.actions.includes(each));
    if (name === undefined) return;
    this.#carryOut(node, { name });
    this.onPerform(node, { name });
  }

  focus(runtimeId: string): void {
    for (const { runtimeId: id, states } of this.#nodes) {
      if (id !== runtimeId && states.includes("focused")) this.mark(id, undefined, "focused");
    }
    if (!this.find(runtimeId)?.states.includes("focused")) this.mark(runtimeId, "focused");
  }

  #innermostAt(point: ScreenPoint, app: number | undefined): UiNode | undefined {
    const top = this.#desktop?.topmostAt(point);
    return this.#nodes.findLast(
      ({ bounds, states, windowId, pid }) =>
        bounds &&
        contains(bounds, point) &&
        states.includes("showing") &&
        (top === undefined || windowId === top.id) &&
        (app ?? pid) === pid,
    );
  }

  #withAncestors(node: UiNode): readonly UiNode[] {
    const parent = node.parent === undefined ? undefined : this.find(node.parent);
    return parent ? [node, ...this.#withAncestors(parent)] : [node];
  }

  #isBelow(node: UiNode, root: string): boolean {
    return this.#withAncestors(node).some(({ runtimeId }) => runtimeId === root);
  }
}

/** Leaves out the content of a password field. */
const told = (node: UiNode): UiNode => (node.states.includes("password") ? { ...node, value: undefined } : node);

const clicked = ["press", "toggle", "select"] as const;

const gone = (): ToolError =>
  new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });

function limit(nodes: readonly UiNode[], maxNodes: number): Tree {
  const left = new Map<string, number>();
  for (const { parent = "" } of nodes.slice(maxNodes)) left.set(parent, (left.get(parent) ?? 0) + 1);
  return { nodes: nodes.slice(0, maxNodes), omitted: [...left].map(([parent, count]) => ({ parent, count })) };
}

function complete(node: FakeNode): UiNode {
  const place = node.bounds && { clickPoint: centre(node.bounds) };
  return {
    nativeRole: node.role,
    name: "",
    states: ["enabled", "showing"],
    actions: [],
    windowId: 1,
    ...place,
    ...node,
  };
}
