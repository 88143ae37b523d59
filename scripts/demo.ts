import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * The main job, end to end and with no API key: an MCP client starts handsight on a private desktop and works with a
 * real text editor and a real calculator. Each step checks what came out of it; the last picture is kept.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const results = join(root, "demo-result");
const text = "Héllo wörld — 你好 🎉 ß ñ\nhandsight typed this.\n";

type Data = Record<string, unknown>;

async function main(): Promise<void> {
  const started = performance.now();
  const work = await mkdtemp(join(tmpdir(), "handsight-demo-"));
  await mkdir(results, { recursive: true });
  const client = new Client({ name: "demo", version: "1.0.0" });
  try {
    await step("Start handsight on a private desktop", async () => {
      const args = [
        "mcp",
        "--desktop",
        "virtual",
        "--size",
        "1280x800",
        "--policy",
        "allow",
        "--runs-dir",
        join(work, "runs"),
      ];
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [join(root, "dist/main.js"), ...args],
          env: { ...(process.env as Record<string, string>) },
          stderr: "inherit",
        }),
      );
      const { tools } = await client.listTools();
      return `${tools.length} tools over MCP`;
    });
    await run(client, work);
    say(`\nDone in ${seconds(performance.now() - started)}. Pictures: ${relative(process.cwd(), results) || "."}/\n`);
  } finally {
    await client.close();
    await rm(work, { recursive: true, force: true });
  }
}

async function run(client: Client, work: string): Promise<void> {
  const file = join(work, "note.txt");
  await writeFile(file, "");
  const call = caller(client);

  const editor = await step("Open a text editor", async () => {
    const { data } = await call("launch_app", { app_name: "mousepad", args: [file] });
    const window = needWindow(data, "the editor");
    await call("set_window", { action: "move", window_id: window.window_id, x: 40, y: 40 });
    await call("set_window", { action: "resize", window_id: window.window_id, width: 700, height: 420 });
    await call("focus_window", { window_id: window.window_id });
    return { say: `window ${window.window_id} "${window.title}"`, value: window.window_id };
  });

  await step("Type text in several scripts", async () => {
    const { data } = await call("type_text", { text, window_id: editor });
    return `${String(data["characters"])} characters`;
  });

  await step("Read it back through the clipboard", async () => {
    await call("press_key", { key: "ctrl+a", settle_ms: 0 });
    await call("press_key", { key: "ctrl+c", settle_ms: 0 });
    expectEqual((await call("get_clipboard")).data["text"], text, "the clipboard");
    return "identical";
  });

  await step("Click at the start of the second line and type there", async () => {
    const shot = await call("take_window_screenshot", { window_id: editor });
    const line = await findSecondLine(call, editor, shot);
    await call("click", { window_id: editor, ...line, settle_ms: 0 });
    await call("press_key", { key: "home", settle_ms: 0 });
    const typed = await call("type_text", { text: "→ " });
    expectEqual(typed.data["effect"], "confirmed", "the effect of typing");
    await call("press_key", { key: "ctrl+s", settle_ms: 0 });
    const wanted = text.replace("\nhandsight", "\n→ handsight");
    expectEqual(await untilSaved(file, wanted), wanted, "the saved file");
    return "the saved file has it";
  });

  const calculator = await step("Press 12 × 34 = on a calculator without touching the pointer", async () => {
    const { data } = await call("launch_app", { app_name: "galculator" });
    const window = needWindow(data, "the calculator");
    const pointer = (await call("get_mouse_position")).data;
    for (const key of ["1", "2", "*", "3", "4", "="]) {
      await call("click", { selector: `Button:"${key}"`, window_id: window.window_id, delivery: "background" });
    }
    const shown = await call("read_text", { selector: "TextBox", window_id: window.window_id });
    expectEqual(Number(shown.data["text"]), 408, "the result");
    expectEqual(JSON.stringify((await call("get_mouse_position")).data), JSON.stringify(pointer), "the pointer");
    return { say: "408", value: window.window_id };
  });

  await step("Take the pictures", async () => {
    await call("set_window", { action: "move", window_id: calculator, x: 800, y: 60 });
    await call("wait_for", { condition: "stable" });
    const screen = await call("take_screenshot", { mode: "screen", format: "png", include_cursor: true });
    await writeFile(join(results, "desktop.png"), need(screen.image));
    const window = await call("take_window_screenshot", { window_id: editor, format: "png" });
    await writeFile(join(results, "editor.png"), need(window.image));
    return "desktop.png, editor.png";
  });

  await step("Close both apps", async () => {
    await call("quit_app", { app_name: "galculator" });
    await call("quit_app", { app_name: "mousepad" });
    const { data } = await call("list_windows");
    expectEqual((data["windows"] as unknown[]).length, 0, "open windows");
    return "nothing left open";
  });
}

interface Reply {
  readonly data: Data;
  readonly image: Buffer | undefined;
}

type Call = (tool: string, args?: Data) => Promise<Reply>;

function caller(client: Client): Call {
  return async (tool, args = {}) => {
    const result = await client.callTool({ name: tool, arguments: args });
    if (result.isError) throw new Error(`${tool} failed: ${JSON.stringify(result.content)}`);
    const data = (result.structuredContent ?? {}) as Data;
    const picture = result.content.find((part) => part.type === "image");
    return { data, image: picture && Buffer.from(picture.data, "base64") };
  };
}

/** A pixel on the second line: the caret is put there, and the pixels that it changed tell where. */
async function findSecondLine(call: Call, window: number, before: Reply): Promise<{ x: number; y: number }> {
  for (const key of ["ctrl+home", "down", "shift+end"]) await call("press_key", { key, settle_ms: 0 });
  await call("wait_for", { condition: "stable", window_id: window });
  const marked = await call("take_window_screenshot", { window_id: window });
  const { default: sharp } = await import("sharp");
  const [a, b] = await Promise.all(
    [before, marked].map(({ image }) => sharp(need(image)).greyscale().raw().toBuffer({ resolveWithObject: true })),
  );
  if (!a || !b) throw new Error("no pictures to compare");
  const rows = new Map<number, number>();
  let left = b.info.width;
  for (let y = 0; y < b.info.height; y++) {
    for (let x = 0; x < b.info.width; x++) {
      if (Math.abs((a.data[y * a.info.width + x] ?? 0) - (b.data[y * b.info.width + x] ?? 0)) < 40) continue;
      rows.set(y, (rows.get(y) ?? 0) + 1);
      left = Math.min(left, x);
    }
  }
  const marked_rows = [...rows].filter(([, count]) => count > 30).map(([y]) => y);
  if (marked_rows.length === 0) throw new Error("the second line was not found");
  const middle = marked_rows[Math.floor(marked_rows.length / 2)] ?? 0;
  return { x: left + 2, y: middle };
}

interface WindowRecord {
  readonly window_id: number;
  readonly title: string;
  readonly bounds: { readonly width: number; readonly height: number };
}

function needWindow(data: Data, what: string): WindowRecord {
  if (data["window"] === null) throw new Error(`${what} opened no window`);
  return data["window"] as WindowRecord;
}

async function untilSaved(file: string, wanted: string): Promise<string> {
  const end = performance.now() + 5_000;
  for (;;) {
    const content = await readFile(file, "utf8");
    if (content === wanted || performance.now() > end) return content;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function need<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no picture came back");
  return value;
}

function expectEqual(actual: unknown, wanted: unknown, what: string): void {
  if (actual !== wanted) throw new Error(`${what} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`);
}

const say = (line: string): boolean => process.stdout.write(line);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

async function step<T>(
  title: string,
  work: () => Promise<string | { readonly say: string; readonly value: T }>,
): Promise<T> {
  const started = performance.now();
  say(`  ${title} … `);
  try {
    const result = await work();
    const ms = Math.round(performance.now() - started);
    say(`${typeof result === "string" ? result : result.say} (${ms} ms)\n`);
    return typeof result === "string" ? (undefined as T) : result.value;
  } catch (error) {
    say("FAILED\n");
    throw error;
  }
}

try {
  say("handsight demo\n");
  await main();
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
