import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ImageRect, Size } from "../../src/base/geometry.ts";

const itemShape = z.object({
  id: z.string(),
  image_path: z.string(),
  image_size: z.tuple([z.number(), z.number()]),
  instruction: z.string(),
  box_type: z.string(),
  box_coordinates: z.array(z.number()),
  GUI_types: z.array(z.string()),
});
type RawItem = z.infer<typeof itemShape>;

export interface TextItem {
  readonly id: string;
  readonly picture: string;
  /** The size that the box refers to. */
  readonly size: Size;
  readonly text: string;
  readonly box: ImageRect;
  /** The text itself is the target, not something drawn beside it. */
  readonly isPlain: boolean;
}

export const refinedFile = "OSWorld-G_refined.json";

/**
 * The items that name the text to click, by rule and not by hand: the refined instruction begins with a verb, at most
 * four words without relation to something else, and the text in quotes. "The dropdown" and "labeled" name the label of
 * something else.
 */
export function readItems(folder: string): readonly TextItem[] {
  const raw = z.array(itemShape).parse(JSON.parse(readFileSync(join(folder, refinedFile), "utf8")));
  return raw.flatMap((item) => {
    const text = item.box_type === "refusal" ? undefined : textIn(item.instruction);
    return text === undefined ? [] : [{ ...toItem(item), text }];
  });
}

const quoted = `"([^"“”]+)"|“([^"“”]+)["”]|(?<!\\w)['‘’]([^'‘’]+)['’](?!\\w)`;
const verbs = "click|select|choose|hover over|press|check|uncheck";
const opening = new RegExp(`^(?:${verbs})(?: on)?((?: [\\w-]+){0,4}?) (?:${quoted})(.*)$`, "i");
const related =
  /\b(next|left|right|of|under|above|below|beside|after|before|between|end|start|point|arrow|icon|checkbox|box|letter|with|in|from|containing|labeled)\b/i;
const ofSomethingElse = /^ (dropdown|drop-down|field|slider|switch)\b/i;

export function textIn(instruction: string): string | undefined {
  const [, before = "", double, curly, single, after = ""] = opening.exec(instruction) ?? [];
  const text = double ?? curly ?? single;
  return text === undefined || related.test(before) || ofSomethingElse.test(after) ? undefined : text;
}

/** Kinds whose target is a drawing, even if a text says what it is. */
const drawn: ReadonlySet<string> = new Set([
  "Icon",
  "Image",
  "Checkbox",
  "Radio Button",
  "Toggle/Switch",
  "Slider",
  "Stepper",
]);

function toItem({ id, image_path, image_size: [width, height], box_type, box_coordinates: at, GUI_types }: RawItem) {
  const [x = 0, y = 0, boxWidth = 0, boxHeight = 0] = at;
  const box = box_type === "polygon" ? around(at) : { x, y, width: boxWidth, height: boxHeight };
  const isPlain = GUI_types.includes("Label") && !GUI_types.some((kind) => drawn.has(kind));
  return { id, picture: image_path, size: { width, height }, box, isPlain };
}

function around(coordinates: readonly number[]): ImageRect {
  const [xs, ys] = [0, 1].map((rest) => coordinates.filter((_, i) => i % 2 === rest)) as [number[], number[]];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
