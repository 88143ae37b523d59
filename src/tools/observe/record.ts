import { z } from "zod";
import type { WindowInfo } from "../../platform/backend.ts";
import { Film } from "../../surface/film.ts";
import { endings, type RecordedFrame } from "./recording.ts";
import { pictureFields } from "../desktop/screen.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const frameRecord = z.object({
  timestamp_ms: z.number(),
  path: z.string(),
  app_name: z.string(),
  window_id: z.number(),
  origin_x: z.number(),
  origin_y: z.number(),
  scale: z.number(),
  pixel_width: z.number(),
  pixel_height: z.number(),
});

// Frames are sent twice, as text and as structured data, in a message of at most 4 MB.
const mostBytes = 1_500_000;

export const startRecording = defineTool({
  name: "start_recording",
  title: "Record the screen",
  summary:
    "Record the window in front, whichever app it belongs to, as JPEG files until stop_recording. Blocked windows are left out, " +
    "password fields painted over.",
  set: "observe",
  access: "observe",
  needs: ["screen", "windows"],
  captures: true,
  isTrusted: true,
  endedBy: "stop_recording",
  files: { output_dir: "write" },
  input: z.strictObject({
    output_dir: z.string().min(1).max(4_000).describe("Folder for the frames; created if missing"),
    fps: z.number().min(0.1).max(30).default(5),
    max_duration_ms: z.int().min(1).max(3_600_000).default(60_000),
    max_side: pictureFields.max_side.describe(
      "Longest side in pixels; larger frames are shrunk (default: as captured)",
    ),
    include_cursor: pictureFields.include_cursor,
  }),
  output: z.object({
    output_dir: z.string(),
    index: z.string().describe("Lists the frames when the recording has ended"),
    started_at: z.number(),
    fps: z.number(),
    max_duration_ms: z.number(),
  }),
  positional: ["output_dir"],
  async run(input, context) {
    const surface = await context.surface();
    const { session, signal } = context;
    const film = new Film(surface, {
      encode: { format: "jpeg", quality: pictureFields.quality.parse(undefined), maxSide: input.max_side },
      includeCursor: input.include_cursor,
      permits: permission(context),
    });
    const recording = await session.recorder.start(
      {
        film,
        folder: input.output_dir,
        fps: input.fps,
        maxDurationMs: input.max_duration_ms,
        lasting: context.lasting ?? {},
        conceal: (text) => session.secrets.conceal(text),
      },
      signal,
    );
    return {
      data: {
        output_dir: recording.folder,
        index: recording.index,
        started_at: recording.startedAt,
        fps: input.fps,
        max_duration_ms: input.max_duration_ms,
      },
    };
  },
});

/** A rule about an app or window applies to every frame, not only to the window that was in front at the start. */
function permission({ session }: ToolContext): (window: WindowInfo) => boolean {
  const { name: tool, title, access, captures } = startRecording;
  const about = (window: WindowInfo) => ({
    tool,
    title,
    access,
    captures,
    window: { id: window.id, title: window.title, app: window.appName },
  });
  let first: WindowInfo | undefined;
  return (window) => {
    first ??= window;
    return session.gate.mayGoOn(about(first), about(window));
  };
}

export const stopRecording = defineTool({
  name: "stop_recording",
  title: "End the recording",
  summary: "End the recording, if it has not ended by itself, and get its frames.",
  set: "observe",
  access: "observe",
  needs: [],
  input: z.strictObject({}),
  output: z.object({
    ended: z.enum(endings),
    message: z.string(),
    started_at: z.number(),
    duration_ms: z.number(),
    output_dir: z.string(),
    index: z.string().describe("The file that lists all frames"),
    frame_count: z.number(),
    frames: z.array(frameRecord).describe("screen = origin + pixel / scale"),
    omitted: z.number().optional().describe("Frames listed only in the index"),
    dropped: z.number().describe("Frames skipped because the one before took too long"),
    skipped: z
      .object({ blocked: z.number(), no_window: z.number(), failed: z.number() })
      .describe("Frames skipped because the window in front is blocked, there was none, or it did not answer"),
    masked: z.number().describe("Frames in which something was painted over"),
    covered: z.number().describe("Frames painted black around a password field that kept moving"),
    failure: z.string().optional().describe("Why the last failed frame failed"),
  }),
  positional: [],
  async run(_input, { session }) {
    const recording = await session.recorder.stop();
    const frames = fitting(recording.frames);
    const omitted = recording.frames.length - frames.length;
    const { why, message } = recording.ending;
    return {
      data: {
        ended: why,
        message,
        started_at: recording.startedAt,
        duration_ms: recording.durationMs,
        output_dir: recording.folder,
        index: recording.index,
        frame_count: recording.frames.length,
        frames,
        ...(omitted > 0 ? { omitted } : {}),
        dropped: recording.dropped,
        skipped: { ...recording.skipped },
        masked: recording.masked,
        covered: recording.covered,
        ...(recording.failure === undefined ? {} : { failure: recording.failure }),
      },
      failed: why !== "stopped" && why !== "max_duration",
    };
  },
});

/** The first frames that fit into one message. */
function fitting(frames: readonly RecordedFrame[]): RecordedFrame[] {
  let room = mostBytes;
  return frames.filter((frame) => (room -= Buffer.byteLength(JSON.stringify(frame))) >= 0);
}
