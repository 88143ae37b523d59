import { parentPort } from "node:worker_threads";
import { ToolError } from "../../base/errors.ts";
import { EdgeMap } from "./edges.ts";
import { findLines } from "./lines.ts";
import type { Answer, Found, Order, Tasks } from "./messages.ts";
import { grow, keyOf, within } from "./picture.ts";
import { recognise, type Recogniser } from "./recognise.ts";
import { loadNetwork } from "./runtime.ts";
import { readAlphabet } from "./weights.ts";

/** The thread in which text is found and read; a network's `run` stops whatever thread it is called in. */
const maps = new Map<string, EdgeMap>();
let recogniser: Promise<Recogniser> | undefined;

async function openRecogniser(): Promise<Recogniser> {
  const [network, alphabet] = await Promise.all([loadNetwork("latin-v3"), readAlphabet()]);
  return { ...network, alphabet };
}

function find({ view, picture, factor, changed }: Tasks["find"]["order"]): Found {
  const known = maps.get(view);
  const map = known ?? new EdgeMap(picture, factor);
  maps.set(view, map);
  map.update(picture, known ? changed : [[0, picture.height]]);
  const { lines, textures } = findLines(map);
  const enlarge = (box: { x: number; y: number; width: number; height: number }) => ({
    x: box.x * factor,
    y: box.y * factor,
    width: box.width * factor,
    height: box.height * factor,
  });
  return {
    lines: lines.map((line) => {
      // The fringe of a letter is too faint to be an edge.
      const box = within(picture, grow(enlarge(line), factor));
      return { box, key: keyOf(picture, box) };
    }),
    textures: textures.map(enlarge),
  };
}

async function carryOut(order: Order): Promise<unknown> {
  switch (order.task) {
    case "find":
      return find(order.order);
    case "recognise": {
      recogniser ??= openRecogniser();
      const answers = [];
      for (const box of order.order.boxes) answers.push(await recognise(await recogniser, order.order.picture, box));
      return answers;
    }
    case "forget":
      maps.delete(order.order.view);
      return null;
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const send = (answer: Answer) => parentPort?.postMessage(answer);

parentPort?.on("message", (order: Order) => {
  carryOut(order).then(
    (value) => send({ id: order.id, value }),
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const known = error instanceof ToolError ? { code: error.code, hint: error.details.hint ?? "" } : {};
      send({ id: order.id, failure: { message, ...known } });
    },
  );
});
