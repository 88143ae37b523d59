import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openSandbox } from "../support/cli.ts";
import { mainFile, startHandsight } from "../support/handsight.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const program = fileURLToPath(new URL("../fixtures/editor.mjs", import.meta.url));

/** An editor with `handsight approve` in its terminal. */
async function openEditor(env: NodeJS.ProcessEnv) {
  const profile = mkdtempSync(join(tmpdir(), "handsight-editor-"));
  const child = spawn(process.execPath, [program, profile, process.execPath, mainFile, "approve"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let port: number | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const told = JSON.parse(line) as { readonly shown?: string; readonly port?: number };
    shown += told.shown ?? "";
    port ??= told.port;
  });
  await expect.poll(() => port, { timeout: 30_000 }).toBeDefined();
  return {
    port,
    shown: () => shown,
    /** What the person does. */
    type: (text: string) => child.stdin.write(text),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      removeFolderNow(profile);
    },
  };
}

/** The debugging port of this process, which is the client. */
async function relay(to: number | undefined) {
  const server = createServer((from) => {
    const browser = connect(to ?? 0, "127.0.0.1");
    pipeline(from, browser, from, () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

test(
  "handsight drives neither its own client nor an editor in whose terminal a person is being asked",
  { timeout: 120_000 },
  async () => {
    await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
    using sandbox = openSandbox(desktop.env);
    const [rules, mark] = ["policy.json", "approved"].map((name) => join(sandbox.folder, name)) as [string, string];
    writeFileSync(rules, '{"rules": [{"access": "execute", "verdict": "ask"}, {"verdict": "allow"}]}');
    await using handsight = await startHandsight(sandbox.env, ["--policy", "ask", "--rules", rules]);
    const command = { app_name: "/bin/sh", args: ["-c", `touch '${mark}'`], timeout_ms: 0 };
    // Nobody can be asked yet; from now on somebody can answer.
    await handsight.ask("launch_app", command);
    await using editor = await openEditor(sandbox.env);
    await expect.poll(editor.shown, { timeout: 20_000 }).toContain("Waiting for questions");

    await using own = await relay(editor.port);
    expect((await handsight.ask("cdp_connect", { port: own.port })).data).toMatchObject({
      error: { code: "denied", message: expect.stringContaining("started handsight") as string },
    });
    await handsight.call("cdp_connect", { port: editor.port });
    const type = (text: string) => handsight.ask("cdp_type_text", { text });
    expect(await type("hello")).toMatchObject({ isError: false });
    await expect.poll(editor.shown).toContain("hello");

    // In progress when the question appears, and again once it is there.
    const typing = type("y\n".repeat(20_000));
    await expect.poll(editor.shown).toContain("y");
    const asked = handsight.ask("launch_app", command);
    const left = { error: { code: "denied", message: expect.stringContaining("off limits") as string } };
    expect((await typing).data).toMatchObject(left);
    await expect.poll(editor.shown, { timeout: 30_000 }).toContain("[n] no: ");
    const { pages } = await handsight.call("cdp_list_pages");
    const { surface } = (pages as { readonly surface: string }[])[0] ?? {};
    for (const [tool, args] of [
      ["cdp_type_text", { text: "y\n" }],
      ["cdp_press_key", { key: "y" }],
      ["type_text", { surface, text: "y\n" }],
      ["press_key", { surface, key: "Enter" }],
      ["click", { surface, x: 20, y: 20 }],
      ["cdp_navigate", { url: "http://127.0.0.1:9/" }],
    ] as const) {
      expect((await handsight.ask(tool, args)).data, tool).toMatchObject(left);
    }
    expect(existsSync(mark)).toBe(false);

    // Ctrl-U: the line may contain input from before the question.
    editor.type("\u0015y\n");
    expect(await asked).toMatchObject({ isError: false });
    await expect.poll(() => existsSync(mark)).toBe(true);
    expect(await type("as before")).toMatchObject({ isError: false });
  },
);
