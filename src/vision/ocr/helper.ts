import { ToolError } from "../../base/errors.ts";
import { findLines, inReadingOrder } from "./lines.ts";
import { unpackEdges, type Answer, type Order } from "./messages.ts";
import { leanHeight, recognise, trainedHeight, type Recogniser } from "./recognise.ts";
import { look, toBoxes } from "./regions.ts";
import { loaderOf, type LoadedNetwork, type OpenNetwork } from "./runtime.ts";
import { readNetwork, readRecogniser } from "./weights.ts";

/**
 * The main function of a process that finds and reads text: it does what its parent asks, and keeps nothing but its
 * networks.
 */
export function serve(open: OpenNetwork): void {
  // Where to load the recogniser from, if not from the package.
  const [, , weights] = process.argv;
  const load = loaderOf(open);
  let recogniser: Promise<Recogniser> | undefined;
  let regions: Promise<LoadedNetwork> | undefined;

  const openRecogniser = async (): Promise<Recogniser> => {
    const { model, ...alphabets } = await readRecogniser(weights);
    const height = weights === undefined ? leanHeight : trainedHeight;
    return { ...load(model, { keepsMemory: true }), ...alphabets, height };
  };
  const openRegions = async (): Promise<LoadedNetwork> => load(await readNetwork("regions-v4"), { keepsMemory: false });

  const carryOut = async (order: Order): Promise<unknown> => {
    switch (order.task) {
      case "find":
        return findLines(unpackEdges(order.order));
      case "recognise": {
        const reader = await (recogniser ??= openRecogniser());
        return order.order.map((line) => recognise(reader, line));
      }
      case "look":
        return look(await (regions ??= openRegions()), order.order);
      case "outline":
        return inReadingOrder(toBoxes(order.order));
    }
  };

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
  // The parent process is gone.
  process.on("disconnect", () => process.exit());
}

const send = (answer: Answer) => process.send?.(answer);
