import { createHash } from "node:crypto";
import { extname } from "node:path";
import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { readNamed } from "../../base/named-file.ts";
import { decodeImage, mostBytes, toPng, type Decoded } from "../../vision/decode.ts";
import { toMask } from "../../vision/find-image/needle.ts";
import { encodedImage } from "../schema.ts";
import { defineTool } from "../tool.ts";

const extensions: Readonly<Record<string, readonly string[]>> = {
  "image/png": [".png"],
  "image/jpeg": [".jpg", ".jpeg", ".jpe", ".jfif"],
  "image/webp": [".webp"],
  "image/gif": [".gif"],
  "image/tiff": [".tif", ".tiff"],
  "image/avif": [".avif", ".heif", ".heic"],
};

const side = z.int().min(1).max(20_000).optional();

export const loadImage = defineTool({
  name: "load_image",
  title: "Load an image",
  summary:
    "Load a picture from a file (or base64) and keep it, as the template or mask of find_image. PNG, JPEG, WebP, GIF, TIFF, AVIF.",
  set: "vision",
  access: "observe",
  needs: [],
  files: { path: "read" },
  input: z.strictObject({
    path: z.string().min(1).max(4_096).optional().describe("File on this machine"),
    image_base64: encodedImage.describe("Instead of path, for up to 3 MB; a data: URL works too"),
    id_prefix: z
      .string()
      .regex(/^[A-Za-z][\w-]{0,19}$/, "must be a letter and up to 19 letters, digits, - or _")
      .default("img")
      .describe("Prefix of the id"),
    max_width: side.describe("Shrink to this width, keeping the proportions"),
    max_height: side,
    as_mask: z.boolean().default(false).describe("One channel: white counts, black is ignored"),
    return_base64: z.boolean().default(false).describe("Also return the picture as PNG"),
  }),
  output: z.object({
    image_id: z.string(),
    width: z.number(),
    height: z.number(),
    channels: z.number().describe("1 for a mask, 3, or 4 with transparency"),
    mime: z.string().describe("The actual format, whatever the file is called"),
    sha256: z.string().describe("Of the file"),
    image_base64: z.string().optional(),
    note: z.string().optional(),
  }),
  positional: ["path"],
  secret: ["image_base64"],
  check({ path, image_base64 }) {
    if ((path === undefined) === (image_base64 === undefined))
      throw new ToolError("invalid_argument", "load_image takes either path or image_base64.");
  },
  async run(input, { session, signal }) {
    const what = input.path === undefined ? "The image" : `"${input.path}"`;
    const bytes = await readInput(input.path, input.image_base64, signal);
    const decoded = await decodeImage(bytes, { what, maxWidth: input.max_width, maxHeight: input.max_height });
    const { width, height } = decoded;
    const data = input.as_mask ? toMask(decoded) : decoded.data;
    const { id } = session.images.add({ width, height, data, isMask: input.as_mask }, input.id_prefix);
    const note = noteOf(decoded, input.path);
    return {
      data: {
        image_id: id,
        width,
        height,
        channels: input.as_mask ? 1 : decoded.hasAlpha ? 4 : 3,
        mime: decoded.mime,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        ...(input.return_base64
          ? { image_base64: Buffer.from(await toPng(width, height, data)).toString("base64") }
          : {}),
        ...(note === "" ? {} : { note }),
      },
    };
  },
});

function readInput(
  path: string | undefined,
  base64: string | undefined,
  signal: AbortSignal,
): Promise<Uint8Array> | Uint8Array {
  return path === undefined
    ? fromBase64(base64 ?? "", "image_base64")
    : readNamed(path, { maxBytes: mostBytes, signal });
}

/** Plain base64 or a data: URL. */
export function fromBase64(text: string, field: string): Uint8Array {
  const body = text.replace(/^data:[^,]*;base64,/, "").replace(/\s+/g, "");
  if (/^[\w+/-]+={0,2}$/.test(body)) return Buffer.from(body, "base64");
  throw new ToolError("invalid_argument", `${field} is not base64.`);
}

function noteOf({ pages, mime }: Decoded, path: string | undefined): string {
  const ending = extname(path ?? "").toLowerCase();
  const isOdd = ending !== "" && !(extensions[mime]?.includes(ending) ?? true);
  return [
    ...(pages > 1 ? [`Only the first of its ${pages} pictures was loaded.`] : []),
    ...(isOdd ? [`Its name ends in ${ending}, but it is ${mime}.`] : []),
  ].join(" ");
}
