import type { AnyTool } from "../tools/tool.ts";

/** What one may want to do, in the order of the help. */
export const groups = {
  start: "Start here:",
  desktop: "A desktop to work on:",
  look: "Look:",
  act: "Act:",
  apps: "Windows and apps:",
  pictures: "What is in a picture:",
  pages: "Browser pages:",
  devices: "Android devices:",
  steps: "Several steps at once:",
  any: "Any tool by its name:",
  records: "Records:",
  permission: "Permission and emergencies:",
  otherNames: "By the names of other servers:",
} as const;

const bySet: Readonly<Partial<Record<AnyTool["set"], string>>> = {
  vision: groups.pictures,
  observe: groups.records,
  browser: groups.pages,
  android: groups.devices,
  flows: groups.steps,
  commands: groups.apps,
  agent: groups.steps,
  meta: groups.any,
  "compat-ui": groups.otherNames,
  "compat-debug": groups.otherNames,
};

export const groupOf = ({ set, access }: AnyTool): string =>
  bySet[set] ?? { observe: groups.look, act: groups.act, manage: groups.apps, execute: groups.apps }[access];

/** Commands are added in an order of their own. */
export function inOrder<Item>(grouped: Map<string, Item[]>): Map<string, Item[]> {
  const known: readonly string[] = Object.values(groups);
  // Options come first: they have groups of their own.
  return new Map([...grouped].toSorted(([a], [b]) => known.indexOf(a) - known.indexOf(b)));
}
