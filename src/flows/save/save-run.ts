import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { UiNode } from "../../base/node.ts";
import type { CallEntry, JournalEntry } from "../../journal/journal.ts";
import { readRun } from "../../journal/read.ts";
import type { SavedFlow } from "../../tools/session.ts";
import type { Flow, FlowStep } from "../file/flow-schema.ts";
import { writeFlow } from "../file/write-flow.ts";
import { stepsOf, unknownText, type SavedStep } from "./from-journal.ts";

/** What a run did, as a flow. */
export function saveEntries(
  entries: readonly JournalEntry[],
  readArtifact: (name: string) => Uint8Array | undefined,
  { name, isPrivate }: { readonly name: string; readonly isPrivate: boolean },
): SavedFlow {
  const treeOf = ({ artifacts }: CallEntry): readonly UiNode[] | undefined => {
    const tree = artifacts.find((each) => each.endsWith("-tree.json"));
    const bytes = tree === undefined ? undefined : readArtifact(tree);
    return bytes && (JSON.parse(Buffer.from(bytes).toString("utf8")) as UiNode[]);
  };
  const { steps, dropped } = stepsOf(entries, treeOf);
  const hasSecret = JSON.stringify(steps).includes(unknownText);
  const flow: Flow = {
    flow: 1,
    name,
    desktop: isPrivate ? "virtual" : "real",
    ...(hasSecret ? { secrets: ["TEXT"] } : {}),
    steps: inBlocks(steps),
  };
  return { steps: steps.length, text: steps.length === 0 ? "" : writeFlow(flow), dropped };
}

/** The same of a run folder. */
export function saveRun(folder: string, about: { readonly name: string; readonly isPrivate: boolean }): SavedFlow {
  const read = (name: string): Uint8Array | undefined => {
    try {
      return readFileSync(join(folder, name));
    } catch {
      return undefined;
    }
  };
  return saveEntries(readRun(folder).entries, read, about);
}

/** Steps on a page stand in a block that opens it, steps on a device in one that says so. */
function inBlocks(steps: readonly SavedStep[]): readonly FlowStep[] {
  const blocks: { readonly head: FlowStep; readonly surface: string; readonly steps: FlowStep[] }[] = [];
  for (const { surface, step } of steps) {
    const last = blocks.at(-1);
    const isOpening = typeof step["open"] === "string";
    if (isOpening) blocks.push({ head: { page: step["open"] as string }, surface: "page", steps: [] });
    else if (last && (surface === last.surface || (surface.startsWith("page:") && last.surface === "page")))
      last.steps.push(step);
    else if (surface.startsWith("android:")) blocks.push({ head: { device: true }, surface, steps: [step] });
    else blocks.push({ head: {}, surface, steps: [surface === "desktop" ? step : { ...step, surface }] });
  }
  return blocks.flatMap(({ head, steps: inner }): readonly FlowStep[] => {
    if (Object.keys(head).length === 0) return inner;
    if (inner.length > 0) return [{ ...head, steps: inner }];
    return head.page === undefined ? [] : [{ open: head.page }];
  });
}
