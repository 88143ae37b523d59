import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { formatOf } from "../../base/image-file.ts";
import type { Photo, Picture } from "../../base/frame.ts";
import type { UiNode } from "../../base/node.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import type { Device } from "../../platform/devices.ts";
import { cornerOf, onDisplay } from "../../surface/display-space.ts";
import { pixelsOf } from "../../surface/frames.ts";
import { findOnScreen } from "../../surface/find-on-screen.ts";
import { pointOf } from "../../surface/find-element.ts";
import { matchesOf } from "../../surface/match-elements.ts";
import { outline } from "../../surface/outline.ts";
import type { Outline } from "../../surface/listing.ts";
import { snapshotId } from "../../surface/snapshot.ts";
import type { Look, Surface } from "../../surface/surface.ts";
import { isBlack } from "../../vision/black.ts";
import { imageFormats } from "../../vision/encode.ts";
import { display, needDevice, screenTrouble, serial } from "./schema.ts";
import { roomFor } from "../answer/room.ts";
import { cut, snapshotFields } from "../elements/elements.ts";
import { doubtOf } from "../elements/find-text.ts";
import { earlier, listChanges, unknownSince } from "../elements/since.ts";
import { ocrSummary } from "../answer/ocr-summary.ts";
import { readTexts, textFields } from "../vision/ocr.ts";
import { saveImage } from "../vision/save-image.ts";
import { rect } from "../schema.ts";
import { pictureFields, pictureOf } from "../desktop/screen.ts";
import { defineTool, type ToolContext } from "../tool.ts";

/** The named display, or whatever is in front on the main one. */
const areaOf = (surface: Surface, display: number | undefined): CaptureArea =>
  display === undefined
    ? { kind: "window", windowId: surface.shownOn(undefined).windowId }
    : { kind: "display", displayId: display };

const shot = z.object({
  device: z.string(),
  width: z.number(),
  height: z.number(),
  scale: z.number().describe("Image pixels per display pixel; if below 1, pass screenshot_id with coordinates"),
  screenshot_id: z.string(),
  format: z.enum(imageFormats),
  bytes: z.number(),
  warning: z.string().optional(),
});

export const androidScreenshot = defineTool({
  name: "android_screenshot",
  title: "Take a screenshot of the device",
  summary:
    "See the device's display, as PNG in its own pixels unless that is too large (see scale). Look before and after every action.",
  set: "android",
  access: "observe",
  needs: [],
  captures: true,
  files: { file_path: "write" },
  input: z.strictObject({
    format: pictureFields.format.unwrap().optional().describe("Default png, or what file_path ends in"),
    quality: pictureFields.quality,
    max_side: pictureFields.max_side.describe("Longest side in pixels; larger pictures are shrunk (default: no limit)"),
    max_bytes: pictureFields.max_bytes,
    include_ocr: z.boolean().default(false).describe("Also list the text in it with coordinates to tap"),
    file_path: z.string().max(4_000).optional().describe("Write the picture to this file instead of returning it"),
    display,
    serial,
  }),
  output: shot.extend({ file_path: z.string().optional(), ...textFields }),
  positional: [],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { session, signal } = context;
    const photo = await surface.photograph(areaOf(surface, input.display), { includeCursor: false, signal });
    const look = await surface.showPhoto(photo, {
      format: input.format ?? formatOf(input.file_path ?? "") ?? "png",
      quality: input.quality,
      maxSide: input.max_side,
      maxBytes: input.max_bytes ?? session.limits.maxImageBytes,
    });
    const { file_path: path } = input;
    const { bytes, mimeType } = look.image;
    const file = path === undefined ? undefined : await saveImage(path, { bytes, mimeType }, session);
    const data = {
      ...(await toShot(device, look, photo, context)),
      ...(file === undefined ? {} : { file_path: file }),
    };
    const read = input.include_ocr ? await readTexts(surface, await toPicture(photo), signal) : {};
    return { data: { ...data, ...read }, images: file === undefined ? [pictureOf(look)] : [], record: data };
  },
});

const toPicture = async ({ content, ...rest }: Photo): Promise<Picture> => ({
  ...rest,
  pixels: await pixelsOf(content),
});

// A black PNG needs only a few bytes per row; with more bytes per pixel than this, it shows something.
const blackPixelsPerByte = 50;

async function isAllBlack({ content, masked = 0 }: Photo): Promise<boolean> {
  if (masked > 0) return false;
  const { width, height } = content;
  if ("png" in content && content.png.byteLength * blackPixelsPerByte > width * height) return false;
  return isBlack(await pixelsOf(content));
}

async function toShot(device: Device, { frame, image }: Look, photo: Photo, { signal }: ToolContext) {
  const warning = (await isAllBlack(photo)) ? await whyBlack(device, signal) : undefined;
  return {
    device: device.serial,
    width: image.width,
    height: image.height,
    scale: frame.scale,
    screenshot_id: frame.id,
    format: image.format,
    bytes: image.bytes.byteLength,
    ...(warning === undefined ? {} : { warning }),
  };
}

const whyBlack = async (device: Device, signal: AbortSignal): Promise<string> =>
  (await screenTrouble(device, { signal })) ??
  "The picture is black: the app protects its window from being captured. Its elements may still be read (android_snapshot).";

export const androidFindText = defineTool({
  name: "android_find_text",
  title: "Find text on the device",
  summary:
    "Find where a text is on the display (any part, any case): in the elements, else read from the pixels. Pass x and y to android_click.",
  set: "android",
  access: "observe",
  needs: [],
  captures: true,
  input: z.strictObject({
    text: z.string().min(1).max(500),
    max_results: z.int().min(1).max(200).default(50),
    display,
    serial,
  }),
  output: z.object({
    matches: z.array(
      z.object({ text: z.string(), x: z.number(), y: z.number(), bounds: rect, uid: z.string().optional() }),
    ),
    source: z.enum(["accessibility", "ocr"]),
    device: z.string(),
    warning: z.string().optional(),
  }),
  positional: ["text"],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal } = context;
    const corner = await cornerOf(surface, input.display, signal);
    const found = await orTrouble(() => readNodes(surface, input.display, signal), signal);
    const named = found.value ? matching(surface, found.value, input.text) : [];
    if (named.length > 0) {
      const matches = named.slice(0, input.max_results).map((each) => onDisplay(each, corner));
      return { data: { matches, source: "accessibility" as const, device: device.serial } };
    }
    const query = input.display === undefined ? {} : { windowId: surface.shownOn(input.display).windowId };
    const matches = await findOnScreen(surface, input.text, { query, others: true }, signal);
    const read = matches.map(({ text, box, point }) =>
      onDisplay({ text: cut(text), ...at(point), bounds: box }, corner),
    );
    const warning = found.trouble
      ? await explain(device, found.trouble, signal)
      : read.length === 0
        ? await screenTrouble(device, { signal })
        : matches[0]?.isOther
          ? doubtOf(input.text)
          : undefined;
    return {
      data: {
        matches: read.slice(0, input.max_results),
        source: "ocr" as const,
        device: device.serial,
        ...(warning === undefined ? {} : { warning }),
      },
    };
  },
});

const at = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x, y });

/** Every element that itself has the text, best first. Text in a row is found where it is written, not as the row. */
function matching(surface: Surface, nodes: readonly UiNode[], wanted: string) {
  const matches = matchesOf(nodes, wanted);
  const around = ancestorsOf(
    nodes,
    matches.filter(({ field }) => field === "name").map(({ node }) => node),
  );
  return matches.flatMap(({ node, text }) => {
    const point = pointOf(node);
    // The name of a row is composed from its parts.
    if (!point || !node.bounds || around.has(node.runtimeId)) return [];
    // The name of a switch or field may be the text beside it.
    if (
      nodes.some((each) => each !== node && each.role === "text" && each.parent === node.parent && each.name === text)
    )
      return [];
    return [{ text: cut(text), x: point.x, y: point.y, bounds: node.bounds, uid: surface.snapshots.refOf(node) }];
  });
}

function ancestorsOf(nodes: readonly UiNode[], some: readonly UiNode[]): ReadonlySet<string> {
  const parentOf = new Map(nodes.map(({ runtimeId, parent }) => [runtimeId, parent]));
  const found = new Set<string>();
  for (const { parent } of some)
    for (let id = parent; id !== undefined && !found.has(id); id = parentOf.get(id)) found.add(id);
  return found;
}

export const androidSnapshot = defineTool({
  name: "android_snapshot",
  title: "Take a snapshot of the device's elements",
  summary:
    "The elements on the display as an indented list with uids for android_click and act. While the screen keeps changing, Android gives " +
    "none; a screenshot and its text are returned instead, and warning says so.",
  set: "android",
  access: "observe",
  needs: [],
  captures: true,
  input: z.strictObject({
    ...snapshotFields,
    display,
    serial,
  }),
  output: z.object({
    device: z.string(),
    package: z.string().describe("The app in front; for its activity use android_get_current_activity"),
    generation: z.number(),
    snapshot_id: z.string().optional(),
    since: z.string().optional().describe("Only the changes since this snapshot are listed"),
    nodes: z.number(),
    cut: z.number().describe("Elements left out for the budget"),
    snapshot: z.string(),
    tree_available: z.boolean(),
    screenshot: shot.optional(),
    warning: z.string().optional(),
  }),
  positional: [],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal, session } = context;
    const [found, corner] = await Promise.all([
      orTrouble(() => readNodes(surface, input.display, signal), signal),
      cornerOf(surface, input.display, signal),
    ]);
    if (found.value) {
      const { pid } = surface.shownOn(input.display);
      const before = earlier(surface.snapshots, input.since, { pid, nodes: found.value });
      const snapshot = surface.snapshots.takeIfNew(found.value, pid);
      const name = device.shownPackage(input.display ?? 0);
      const trouble = name === systemUi ? await screenTrouble(device, { signal }) : undefined;
      const unknown = input.since !== undefined && !before ? unknownSince(input.since) : undefined;
      const warnings = [trouble, unknown].filter((each) => each !== undefined);
      const head = {
        device: device.serial,
        package: name,
        generation: snapshot.generation,
        snapshot_id: snapshotId(snapshot),
        nodes: found.value.length,
        tree_available: true,
        ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
        ...(before ? { since: snapshotId(before) } : {}),
      };
      const maxChars = roomFor(head, input.max_tokens);
      const budget = {
        maxNodes: input.max_nodes,
        maxChars,
        bounds: input.bounds,
        corner,
        restTool: "take_ax_snapshot",
      };
      const listed = before ? listChanges(before, snapshot, maxChars) : toListed(outline(snapshot, budget));
      return { data: { ...head, ...listed }, tree: found.value };
    }
    const seen = await device.foreground({ display: input.display, signal });
    const head = { device: device.serial, package: seen?.package ?? "" };
    const warning = await explain(device, found.trouble, signal);
    const picture = await surface.picture(areaOf(surface, input.display), { includeCursor: false, signal });
    const { maxSide, isEconomic, maxImageBytes: maxBytes } = session.limits;
    const look = await surface.show(picture, { format: "jpeg", quality: 80, maxSide, isEconomic, maxBytes });
    const text = ocrSummary(await readTexts(surface, picture, signal)).join("\n");
    const screenshot = await toShot(device, look, { ...picture, content: picture.pixels }, context);
    const none = { generation: surface.snapshots.current?.generation ?? 0, nodes: 0, cut: 0, tree_available: false };
    return { data: { ...head, ...none, snapshot: text, screenshot, warning }, images: [pictureOf(look)] };
  },
});

const toListed = ({ text, cut: left }: Outline) => ({ snapshot: text, cut: left });

/** The lock screen belongs to this package. */
const systemUi = "com.android.systemui";
// More than any screen shows.
const allNodes = 20_000;

async function readNodes(
  surface: Surface,
  display: number | undefined,
  signal: AbortSignal,
): Promise<readonly UiNode[]> {
  const elements = surface.need("elements");
  const { nodes } = await elements.tree(elements.scope({ pid: surface.shownOn(display).pid }), {
    maxNodes: allNodes,
    signal,
  });
  surface.snapshots.saw(nodes);
  return nodes;
}

/** Without its elements a screen can still be seen; with any other error it cannot. */
const withoutTree: ReadonlySet<string> = new Set(["timeout", "ax_error"]);

async function orTrouble<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<
  { readonly value: T; readonly trouble?: undefined } | { readonly value?: undefined; readonly trouble: ToolError }
> {
  try {
    return { value: await read() };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError) || !withoutTree.has(error.code)) throw error;
    return { trouble: error };
  }
}

async function explain(device: Device, trouble: ToolError, signal: AbortSignal): Promise<string> {
  const why = await screenTrouble(device, { signal });
  return `${trouble.message}${why === undefined ? "" : ` ${why}`}`;
}
