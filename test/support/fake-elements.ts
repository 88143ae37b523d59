import { ToolError } from "../../src/base/errors.ts";
import { contains } from "../../src/base/geometry.ts";
import type { NodeAction, UiNode } from "../../src/base/node.ts";
import type { Elements, ElementScope } from "../../src/platform/backend.ts";
import { ownerOf, toScope } from "../../src/platform/scope.ts";

export type FakeNode = Pick<UiNode, "runtimeId" | "role"> & Partial<UiNode>;

/** Elements in memory. A test changes `nodes` as an app would; `onPerform` is the app's answer to a native action. */
export class FakeElements implements Elements {
  nodes: readonly UiNode[];
  readonly performed: string[] = [];
  onPerform: (node: UiNode, action: NodeAction) => void = () => {};

  constructor(nodes: readonly FakeNode[]) {
    this.nodes = nodes.map(complete);
  }

  change(runtimeId: string, change: Partial<UiNode>): void {
    this.nodes = this.nodes.map((node) => (node.runtimeId === runtimeId ? { ...node, ...change } : node));
  }

  readonly scope = toScope;

  async tree(scope: ElementScope, { root }: { readonly root?: string | undefined }) {
    const own = this.nodes.filter(({ pid }) => pid === ownerOf(scope).pid);
    return { nodes: root === undefined ? own : own.filter((node) => this.#isBelow(node, root)), omitted: [] };
  }

  async at(point: { readonly x: number; readonly y: number }) {
    return this.nodes.filter(({ bounds }) => bounds && contains(bounds, point)).toReversed();
  }

  async focused() {
    return this.nodes.find(({ states }) => states.includes("focused"));
  }

  async read(runtimeIds: readonly string[]) {
    return runtimeIds.map((id) => this.nodes.find(({ runtimeId }) => runtimeId === id));
  }

  async perform(runtimeId: string, action: NodeAction) {
    const [node] = await this.read([runtimeId]);
    if (!node) throw new ToolError("uid_not_found", "The element is gone.");
    this.performed.push(`${action.name} ${runtimeId}`);
    this.onPerform(node, action);
    return { via: action.name };
  }

  async text() {
    return undefined;
  }

  #isBelow(node: UiNode, root: string): boolean {
    if (node.runtimeId === root) return true;
    const parent = this.nodes.find(({ runtimeId }) => runtimeId === node.parent);
    return parent !== undefined && this.#isBelow(parent, root);
  }
}

const complete = (node: FakeNode): UiNode => ({
  nativeRole: node.role,
  name: "",
  states: ["enabled", "showing"],
  actions: [],
  windowId: 1,
  ...node,
});
