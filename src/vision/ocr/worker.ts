import { parentPort } from "node:worker_threads";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import { EdgeMap } from "./edges.ts";
import { findLines, inReadingOrder } from "./lines.ts";
import type { Answer, Found, FoundLine, Order, Tasks } from "./messages.ts";
import { grow, keyOf, within } from "./picture.ts";
import { recognise, type Recogniser } from "./recognise.ts";
import { look, toBoxes } from "./regions.ts";
import { loadNetwork, type LoadedNetwork } from "./runtime.ts";
import { readAlphabet } from "./weights.ts";

/** The thread in which text is found and read; a network's `run` stops whatever thread it is called in. */
const maps = new Map<string, EdgeMap>();
let recogniser: Promise<Recogniser> | undefined;
let regions: Promise<LoadedNetwork> | undefined;

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
  // The fringe of a letter is too faint to be an edge.
  const named = (box: Rect, margin: number) => {
    const own = within(picture, grow(enlarge(box, factor), margin));
    return { box: own, key: keyOf(picture, own) };
  };
  return {
    lines: lines.map((line) => named(line, factor)),
    textures: textures.map((texture) => named(texture, 0)),
  };
}

function outline({ picture, area, factor, likelihood }: Tasks["outline"]["order"]): FoundLine[] {
  return inReadingOrder(toBoxes(likelihood)).map((line) => {
    const { x, y, width, height } = enlarge(line, factor);
    const box = within(picture, { x: area.x + x, y: area.y + y, width, height });
    return { box, key: `roomy ${keyOf(picture, box)}`, isRoomy: true };
  });
}

const enlarge = ({ x, y, width, height }: Rect, factor: number): Rect => {
  return { x: x * factor, y: y * factor, width: width * factor, height: height * factor };
};

async function carryOut(order: Order): Promise<unknown> {
  switch (order.task) {
    case "find":
      return find(order.order);
    case "recognise": {
      recogniser ??= openRecogniser();
      const answers = [];
      const { lines, picture } = order.order;
      for (const line of lines) answers.push(await recognise(await recogniser, picture, line));
      return answers;
    }
    case "look":
      regions ??= loadNetwork("regions-v4");
      return look(await regions, order.order);
    case "outline":
      return outline(order.order);
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
