import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { centre, contains } from "../../base/geometry.ts";
import type { Display } from "../../platform/backend.ts";
import { isEmptyQuery, type WindowQuery } from "../../surface/choose-window.ts";
import { namesNear, pointOf, readTree } from "../../surface/find-element.ts";
import { findOnScreen, type OnScreenScope, type SeenMatch } from "../../surface/find-on-screen.ts";
import { matchText } from "../../surface/match-elements.ts";
import type { Surface } from "../../surface/surface.ts";
import { matchText as matchLines, type TextMatch } from "../../vision/ocr/match.ts";
import { cut } from "./elements.ts";
import { readLoaded } from "../vision/loaded-image.ts";
import { shortened } from "../vision/ocr.ts";
import { readWindowQuery, rect, windowFields } from "../schema.ts";
import { defineTool } from "../tool.ts";

export const textMatch = z.object({
  text: z.string(),
  x: z.number(),
  y: z.number(),
  confidence: z.number(),
  bounds: rect,
  source: z.enum(["accessibility", "ocr"]),
  matched: z.enum(["name", "value", "description"]).optional(),
  uid: z.string().optional(),
  role: z.string().optional(),
});

const findTextInput = z.strictObject({
  text: z.string().min(1).max(500).describe("Any part, any case"),
  ...windowFields,
  display_id: z.int().optional().describe("Only on this display, from list_displays"),
  image_id: z.string().max(60).optional().describe("In a loaded image"),
  max_results: z.int().min(1).max(200).default(20),
});
type FindTextInput = z.output<typeof findTextInput>;

export const findText = defineTool({
  name: "find_text",
  title: "Find text",
  summary:
    "Find where a text is: names, values and descriptions of elements first; if none has it, it is read from the pixels (source " +
    "ocr). x and y can be clicked directly.",
  set: "desktop",
  access: "observe",
  needs: ["screen", "windows"],
  input: findTextInput,
  output: z.object({ matches: z.array(textMatch), warning: z.string().optional() }),
  positional: ["text"],
  check: refuseBoth,
  async run(input, { surface: open, session, signal }) {
    const surface = await open();
    if (input.image_id !== undefined) {
      const { lines } = await readLoaded(session, surface, input.image_id, signal);
      const found = matchLines(lines, input.text, { maxResults: input.max_results });
      const warning = found[0]?.isOther ? { warning: doubtOf(input.text) } : {};
      return { data: { matches: found.map(toMatch), ...warning } };
    }
    const query = readWindowQuery(input);
    const display = input.display_id === undefined ? undefined : await needDisplay(surface, input.display_id, signal);
    const where = { query, display, others: true };
    const { matches, isOther, problem } = await findShown(surface, input.text, where, signal);
    const warnings = [
      ...(problem ? [`The elements could not be read: ${problem.message}`] : []),
      ...(isOther ? [doubtOf(input.text)] : []),
    ];
    return {
      data: {
        matches: matches.slice(0, input.max_results),
        ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
      },
    };
  },
});

type Match = z.input<typeof textMatch>;

/** What to tell a caller whose text was not read, only one that differs in a letter. */
export const doubtOf = (text: string): string =>
  `"${text}" itself was not read; the matches differ from it in a letter.`;

interface Shown {
  readonly matches: readonly Match[];
  /** The matches differ in a letter from the text. */
  readonly isOther?: boolean | undefined;
  /** Why the elements could not be read. */
  readonly problem?: ToolError | undefined;
  /** Names of elements that are there, where none has the text. */
  readonly near: readonly string[];
}

/** Where a text is: on elements, or else in the picture. */
export async function findShown(
  surface: Surface,
  wanted: string,
  where: OnScreenScope & {
    /** False to look at elements alone, where there are any. */
    readonly reads?: boolean | undefined;
  },
  signal: AbortSignal,
): Promise<Shown> {
  let problem: ToolError | undefined;
  const { matches: named, near } = await inTree(surface, wanted, where.query, signal).catch((error: unknown) => {
    // An app without a tree still shows its text.
    if (!(error instanceof ToolError) || signal.aborted) throw error;
    problem = error;
    return { matches: [], near: [] };
  });
  const { display } = where;
  const here = named.filter(({ x, y }) => !display || contains(display.bounds, { x, y }));
  const isDone = here.length > 0 || (where.reads === false && !problem);
  if (isDone) return { problem, near, matches: here };
  const read = await inPixels(surface, wanted, where, problem, signal);
  return { problem, near, matches: read.map(toMatch), isOther: read[0]?.isOther };
}

async function inTree(
  surface: Surface,
  wanted: string,
  query: WindowQuery,
  signal: AbortSignal,
): Promise<{ readonly matches: readonly Match[]; readonly near: readonly string[] }> {
  const { nodes } = await readTree(surface, { window: query }, 20_000, signal);
  const matches = matchText(nodes, wanted).flatMap(({ node, field: matched, text }): Match[] => {
    const at = pointOf(node);
    if (!at || !node.bounds) return [];
    const found = { text: cut(text), x: at.x, y: at.y, confidence: 1, bounds: node.bounds };
    return [{ ...found, source: "accessibility", matched, uid: surface.snapshots.refOf(node), role: node.role }];
  });
  return { matches, near: matches.length > 0 ? [] : namesNear(nodes, { form: "text", text: wanted }) };
}

async function inPixels(
  surface: Surface,
  wanted: string,
  where: OnScreenScope,
  problem: ToolError | undefined,
  signal: AbortSignal,
): Promise<readonly SeenMatch[]> {
  try {
    const matches = await findOnScreen(surface, wanted, where, signal);
    // If OCR finds nothing, the text may still be there: in the value or description of an element that could not be
    // read. An app without elements has shown everything it has.
    if (matches.length === 0 && problem && problem.code !== "not_supported") throw problem;
    return matches;
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError) || error.code !== "not_supported") throw error;
    if (problem) throw problem;
    return [];
  }
}

function toMatch({ text, box, confidence }: TextMatch<"screen">): Match {
  const { x, y } = centre(box);
  return { text: cut(text), x, y, confidence: shortened(confidence), bounds: box, source: "ocr" };
}

function refuseBoth({ image_id, display_id, ...rest }: FindTextInput): void {
  if (image_id === undefined || (display_id === undefined && isEmptyQuery(readWindowQuery(rest)))) return;
  throw new ToolError("invalid_argument", "Give image_id or a window or display, not both.");
}

async function needDisplay(surface: Surface, id: number, signal: AbortSignal): Promise<Display> {
  const displays = await surface.need("screen").displays({ signal });
  const display = displays.find((each) => each.id === id);
  if (display) return display;
  throw new ToolError("not_found", `There is no display ${id}.`, {
    hint: `Displays: ${displays.map((each) => each.id).join(", ")}.`,
  });
}
