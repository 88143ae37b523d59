import { z } from "zod";
import { Lock, sleep } from "../../src/base/async.ts";
import { ToolError } from "../../src/base/errors.ts";
import type { Log } from "../../src/base/log.ts";
import { openJournal } from "../../src/journal/open.ts";
import type { PolicyMode } from "../../src/policy/decide.ts";
import { toRules } from "../../src/policy/rules.ts";
import { Secrets } from "../../src/journal/secrets.ts";
import { Gate } from "../../src/tools/permission/gate.ts";
import { WrittenFiles } from "../../src/policy/written-files.ts";
import { Demonstrations } from "../../src/tools/flows/demonstrations.ts";
import { Watches } from "../../src/tools/observe/watch-session.ts";
import { HoverTracker } from "../../src/tools/observe/hover-session.ts";
import { OverlayKeeper } from "../../src/tools/observe/overlay-session.ts";
import { Recorder } from "../../src/tools/observe/recorder.ts";
import type { Session } from "../../src/tools/session.ts";
import { defineTool, type AnyTool } from "../../src/tools/tool.ts";
import { enlarge } from "../../src/vision/decode.ts";
import { ImageFinder } from "../../src/vision/find-image/finder.ts";
import { ImageStore } from "../../src/vision/image-store.ts";

const common = { set: "desktop", needs: [], positional: [] } as const;

const echo = defineTool({
  ...common,
  name: "echo",
  title: "Echo",
  summary: "Says what it is given.",
  access: "observe",
  input: z.strictObject({ text: z.string().default("") }),
  output: z.object({ text: z.string(), length: z.int() }),
  run: async ({ text }) => ({ data: { text, length: text.length } }),
});

const poke = defineTool({
  ...common,
  name: "poke",
  title: "Poke",
  summary: "Acts, and therefore needs permission.",
  access: "act",
  input: z.strictObject({ where: z.string() }),
  output: z.object({ poked: z.string() }),
  run: async ({ where }) => ({ data: { poked: where } }),
});

const fail = defineTool({
  ...common,
  name: "fail",
  title: "Fail",
  summary: "Fails in the way asked for.",
  access: "observe",
  input: z.strictObject({ how: z.enum(["foreseen", "unforeseen"]) }),
  output: z.object({ never: z.string() }),
  run: async ({ how }) => {
    if (how === "unforeseen") throw new Error("a bug with /secret/path in it");
    throw new ToolError("not_found", "There is no such window.", { hint: "List the windows." });
  },
});

const picture = defineTool({
  ...common,
  name: "picture",
  title: "Picture",
  summary: "Returns pictures of a given size.",
  access: "observe",
  input: z.strictObject({ bytes: z.int().default(3), count: z.int().default(1), frame: z.string().optional() }),
  output: z.object({ count: z.int() }),
  run: async ({ bytes, count, frame }) => ({
    data: { count },
    images: Array.from({ length: count }, () => ({
      bytes: new Uint8Array(bytes).fill(7),
      mimeType: "image/png",
      ...(frame === undefined ? {} : { frameId: frame }),
    })),
  }),
});

const flood = defineTool({
  ...common,
  name: "flood",
  title: "Flood",
  summary: "Returns a given number of characters.",
  access: "observe",
  input: z.strictObject({ characters: z.int() }),
  output: z.object({ text: z.string() }),
  run: async ({ characters }) => ({ data: { text: "x".repeat(characters) } }),
});

const noisy = defineTool({
  ...common,
  name: "noisy",
  title: "Noisy",
  summary: "Prints to stdout as a careless library would.",
  access: "observe",
  input: z.strictObject({}),
  output: z.object({ ok: z.boolean() }),
  run: async () => {
    console.log("noise from console.log");
    process.stdout.write("noise from stdout.write\n");
    return { data: { ok: true } };
  },
});

/** `seen` reports what happened inside the other tools, so that a test in another process can know it, too. */
function tattlers(tell: (event: string) => void): AnyTool[] {
  const events: string[] = [];
  const note = (event: string) => {
    events.push(event);
    tell(event);
  };
  const stubborn = defineTool({
    ...common,
    name: "stubborn",
    title: "Stubborn",
    summary: "Never ends, and does not listen when told to.",
    access: "act",
    input: z.strictObject({}),
    output: z.object({}),
    run: () => {
      note("stubborn: started");
      return new Promise<never>(() => setInterval(() => {}, 1000));
    },
  });
  const slow = defineTool({
    ...common,
    name: "slow",
    title: "Slow",
    summary: "Takes a number of steps and reports each.",
    access: "observe",
    input: z.strictObject({ steps: z.int(), ms: z.int().default(1) }),
    output: z.object({ steps: z.int() }),
    async run({ steps, ms }, { signal, progress }) {
      note("slow: started");
      try {
        for (let step = 1; step <= steps; step++) {
          progress({ done: step, total: steps, message: `step ${step}` });
          await sleep(ms, signal);
        }
        note("slow: done");
        return { data: { steps } };
      } finally {
        if (signal.aborted) note("slow: released");
      }
    },
  });
  const seen = defineTool({
    ...common,
    name: "seen",
    title: "Seen",
    summary: "What happened so far.",
    access: "observe",
    input: z.strictObject({}),
    output: z.object({ events: z.array(z.string()) }),
    run: async () => ({ data: { events: [...events] } }),
  });
  return [stubborn, slow, seen];
}

export interface TestSessionOptions {
  readonly policy?: PolicyMode;
  readonly disposeMs?: number;
  readonly tell?: (event: string) => void;
}

const silent: Log = { error() {}, warn() {}, info() {}, debug() {} };

/** A session over tools that need no screen. */
export function openTestSession(options: TestSessionOptions = {}): Session {
  const { policy = "allow", disposeMs = 0, tell = () => {} } = options;
  const journal = openJournal({ folder: "", enabled: false, keepDays: 1, keepBytes: 1_000_000, log: silent });
  return {
    tools: [echo, poke, fail, picture, flood, noisy, ...tattlers(tell)],
    gate: new Gate(toRules({}, { mode: policy, roots: [] })),
    secrets: new Secrets(),
    limits: { maxSide: 1568, maxImageBytes: 900 * 1024, settleMs: 0, includeOcr: false },
    lock: new Lock(),
    journal,
    log: silent,
    images: new ImageStore(),
    written: new WrittenFiles(),
    recorder: new Recorder(silent),
    hover: new HoverTracker(silent),
    overlay: new OverlayKeeper(silent),
    demonstrations: new Demonstrations(),
    watches: new Watches(silent),
    finder: new ImageFinder(enlarge),
    surface: async (id) => {
      throw new ToolError("not_connected", `There is no surface ${id} here.`);
    },
    openSurfaces: () => [],
    readFrame: async (id) =>
      id === "f1abc" ? { bytes: new Uint8Array([1, 2, 3]), mimeType: "image/webp" } : undefined,
    async [Symbol.asyncDispose]() {
      await sleep(disposeMs);
      tell("session: disposed");
      await journal[Symbol.asyncDispose]();
    },
  };
}
