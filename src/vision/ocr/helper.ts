import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import { EdgeMap, type RowRange } from "./edges.ts";
import { findLines, inReadingOrder } from "./lines.ts";
import type { Answer, Found, FoundLine, Order, Tasks } from "./messages.ts";
import { grow, keyOf, within, type Picture } from "./picture.ts";
import { leanHeight, recognise, trainedHeight, type Recogniser, type Recognised } from "./recognise.ts";
import { look, toBoxes } from "./regions.ts";
import { loadNetwork, type LoadedNetwork } from "./runtime.ts";
import { readNetwork, readRecogniser } from "./weights.ts";

/** The process in which text is found and read. */
interface Seen {
  readonly picture: Picture;
  readonly map: EdgeMap;
}

const views = new Map<string, Seen>();
let recogniser: Promise<Recogniser> | undefined;
let regions: Promise<LoadedNetwork> | undefined;

/** Where to take the recogniser from, if not from the package. */
const [, , weights] = process.argv;

async function openRecogniser(): Promise<Recogniser> {
  const { model, alphabet } = await readRecogniser(weights);
  const height = weights === undefined ? leanHeight : trainedHeight;
  return { ...(await loadNetwork(model, { keepsMemory: true })), alphabet, height };
}

function find({ view, width, height, factor, rows }: Tasks["find"]["order"]): Found | null {
  const known = views.get(view);
  const sent = rows.reduce((sum, { data }) => sum + data.length, 0);
  if (!known && sent < width * height * 4) return null;
  const picture = known?.picture ?? { memory: new ArrayBuffer(width * height * 4), width, height };
  const { map } = known ?? { map: new EdgeMap(picture, factor) };
  views.set(view, { picture, map });
  const bytes = new Uint8Array(picture.memory);
  const changed = rows.map(({ from, data }): RowRange => {
    bytes.set(data, from * width * 4);
    return [from, from + data.length / (width * 4)];
  });
  map.update(picture, changed);
  const { lines, textures } = findLines(map);
  // The fringe of a letter is too faint to be an edge.
  const named = (box: Rect, margin: number): FoundLine => {
    const own = within(picture, grow(enlarge(box, factor), margin));
    return { box: own, key: keyOf(picture, own) };
  };
  return {
    lines: lines.map((line) => named(line, factor)),
    textures: textures.map((texture) => named(texture, 0)),
  };
}

function outline({ view, area, factor, likelihood }: Tasks["outline"]["order"]): FoundLine[] {
  const picture = views.get(view)?.picture;
  if (!picture) throw new Error(`the picture of ${view} is gone`);
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
      const answers: Recognised[] = [];
      for (const line of order.order) answers.push(await recognise(await recogniser, line));
      return answers;
    }
    case "look":
      regions ??= readNetwork("regions-v4").then((model) => loadNetwork(model, { keepsMemory: false }));
      return look(await regions, order.order);
    case "outline":
      return outline(order.order);
    case "forget":
      views.delete(order.order.view);
      return null;
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
