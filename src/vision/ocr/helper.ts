import { ToolError } from "../../base/errors.ts";
import { findLines, inReadingOrder } from "./lines.ts";
import { unpackEdges, type Answer, type Order } from "./messages.ts";
import { leanHeight, recognise, trainedHeight, type Recogniser, type Recognised } from "./recognise.ts";
import { look, toBoxes } from "./regions.ts";
import { loadNetwork, type LoadedNetwork } from "./runtime.ts";
import { readNetwork, readRecogniser } from "./weights.ts";

/** The process in which text is found and read. It keeps nothing but its networks. */
let recogniser: Promise<Recogniser> | undefined;
let regions: Promise<LoadedNetwork> | undefined;

/** Where to take the recogniser from, if not from the package. */
const [, , weights] = process.argv;

async function openRecogniser(): Promise<Recogniser> {
  const { model, alphabet } = await readRecogniser(weights);
  const height = weights === undefined ? leanHeight : trainedHeight;
  return { ...(await loadNetwork(model, { keepsMemory: true })), alphabet, height };
}

async function carryOut(order: Order): Promise<unknown> {
  switch (order.task) {
    case "find":
      return findLines(unpackEdges(order.order));
    case "recognise": {
      recogniser ??= openRecogniser();
      const answers: Recognised[] = [];
      for (const line of order.order) answers.push(await recognise(await recogniser, line));
      return answers;
    }
    case "look":
      regions ??= readNetwork("regions-v4").then((model) => loadNetwork(model, { keepsMemory: false }));
      return look(await regions, order.order);
    case "outline":
      return inReadingOrder(toBoxes(order.order));
  }
}

const send = (answer: Answer) => process.send?.(answer);

process.on("message", (order: Order) => {
  carryOut(order).then(
    (value) => send({ id: order.id, value }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const known = error instanceof ToolError ? { code: error.code, hint: error.details.hint ?? "" } : {};
      send({ id: order.id, failure: { message, ...known } });
    },
  );
});
// Whoever started this process is gone.
process.on("disconnect", () => process.exit());
