import { handsight } from "./contenders/handsight.ts";
import { handsightElements } from "./contenders/handsight-elements.ts";
import { handsightFindImage } from "./contenders/handsight-find-image.ts";
import { nodeScreenshots } from "./contenders/node-screenshots.ts";
import { nutJs } from "./contenders/nut-js.ts";
import { screenshotDesktop } from "./contenders/screenshot-desktop.ts";
import type { Answer, Order, Tasks } from "./contenders/task.ts";
import { messageOf, now } from "./measure.ts";

/**
 * The process a library runs in: its display comes from the environment, its clock runs here, around the work alone.
 * Ours runs in one too, so that all libraries are measured alike.
 */
const libraries: Readonly<Record<string, () => Promise<Tasks>>> = {
  handsight,
  "handsight elements": handsightElements,
  "handsight find-image": handsightFindImage,
  "nut-js": nutJs,
  "node-screenshots": nodeScreenshots,
  "screenshot-desktop": screenshotDesktop,
};

const tell = (answer: Answer) => process.send?.(answer);

try {
  const open = libraries[process.argv[2] ?? ""];
  if (!open) throw new Error(`there is no contender "${process.argv[2]}"`);
  const tasks = await open();
  process.on("message", (order: Order) => {
    void carryOut(tasks, order);
  });
  process.on("disconnect", () => process.exit());
  tell({ kind: "ready", tasks: Object.keys(tasks) });
} catch (error) {
  tell({ kind: "failed", message: messageOf(error) });
  process.disconnect();
}

async function carryOut(tasks: Tasks, { task, argument }: Order): Promise<void> {
  try {
    const work = tasks[task];
    if (!work) throw new Error(`cannot do "${task}"`);
    const startedAt = now();
    const outcome = await work(argument);
    const ms = now() - startedAt;
    tell({ kind: "done", startedAt, ms, ...(outcome ? await outcome() : {}) });
  } catch (error) {
    tell({ kind: "failed", message: messageOf(error) });
  }
}
