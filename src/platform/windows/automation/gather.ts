import type { UiNode } from "../../../base/node.ts";
import type { Tree } from "../../backend.ts";
import type { Deadline } from "./deadline.ts";

/** An element that was read, and how to read what is below it. */
export interface Branch {
  readonly node: UiNode;
  children(): { readonly branches: readonly Branch[]; readonly omitted?: number };
}

export interface GatherOptions {
  readonly maxNodes: number;
  readonly deadline: Deadline;
  /** Asked for by name, so even what is scrolled away is listed. */
  readonly includesHidden: boolean;
}

/** Level by level, so that a small budget shows the whole window roughly and not one corner of it in full. */
export function gather(roots: readonly Branch[], { maxNodes, deadline, includesHidden }: GatherOptions): Tree {
  const below = new Map<string | undefined, UiNode[]>();
  const omitted = new Map<string, number>();
  let count = 0;
  let level: readonly { readonly branch: Branch; readonly parent: string | undefined }[] = roots.map((branch) => ({
    branch,
    parent: undefined,
  }));
  const leaveOut = (parent: string | undefined, number: number): void => {
    const key = parent ?? "";
    if (number > 0) omitted.set(key, (omitted.get(key) ?? 0) + number);
  };
  while (level.length > 0) {
    const next: { readonly branch: Branch; readonly parent: string | undefined }[] = [];
    for (const { branch, parent } of level) {
      deadline.check();
      const { node } = branch;
      if (!includesHidden && !node.states.includes("showing")) continue;
      if (count >= maxNodes) {
        leaveOut(parent, 1);
        continue;
      }
      count += 1;
      const siblings = below.get(parent) ?? [];
      siblings.push(node);
      below.set(parent, siblings);
      const { branches, omitted: more = 0 } = branch.children();
      deadline.heard();
      leaveOut(node.runtimeId, more);
      for (const child of branches) next.push({ branch: child, parent: node.runtimeId });
    }
    level = next;
  }
  const nodes: UiNode[] = [];
  const add = (parent: string | undefined): void => {
    for (const node of below.get(parent) ?? []) {
      nodes.push(node);
      add(node.runtimeId);
    }
  };
  add(undefined);
  return { nodes, omitted: [...omitted].map(([parent, left]) => ({ parent, count: left })) };
}
