import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { newerNode, peerFile } from "../economy/page-servers/place.ts";
import { absent, messageOf, race, type Row, type Runner } from "../measure.ts";
import { root } from "../paths.ts";
import { runCommand, type CommandLine } from "./command.ts";
import { inARow, type Contender } from "./job.ts";

const startMs = 30_000;

/** The form on a desktop of its own; it prints what was added. */
async function openStage(windowManager: "openbox" | "none") {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1, windowManager });
  // The first python3 on PATH may be one without GTK.
  const child = spawn("/usr/bin/python3", [join(root, "bench", "cli", "form.py")], {
    env: { ...desktop.env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const added: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => added.push(line));
  return {
    env: desktop.env,
    added: () => added,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await desktop[Symbol.asyncDispose]();
    },
  };
}

export async function raceDesktop(ours: CommandLine, rounds: number): Promise<Row[]> {
  await using stage = await openStage("openbox");
  // agent-device takes places within a window for places on the screen: without a window manager they are the same.
  await using bareStage = await openStage("none");
  const own = Object.fromEntries(Object.entries(ours.env).filter(([name, value]) => process.env[name] !== value));
  const handsight: Contender = {
    name: "handsight",
    kind: "ours",
    note: "every action verified",
    line: { ...ours, env: { ...stage.env, ...own } },
    speech: {
      look: ["take_ax_snapshot"],
      field: /textbox "Name" (a\d+g\d+)/,
      button: /button "Add" (a\d+g\d+)/,
      fill: (field, value) => ["ax_set_value", "--uid", field, "--text", value],
      click: (button) => ["click", "--uid", button],
      read: ["take_ax_snapshot"],
    },
  };
  const agentDevice: Contender = {
    name: "agent-device",
    kind: "command",
    note: "with --settle, as its guide says",
    line: {
      command: newerNode,
      args: [peerFile("agent-device", "bin", "agent-device.mjs")],
      folder: ours.folder,
      // Its helper needs the system's Python, which has the bindings.
      env: {
        ...bareStage.env,
        AGENT_DEVICE_STATE_DIR: join(ours.folder, "agent-device"),
        PATH: `/usr/bin:${bareStage.env["PATH"] ?? ""}`,
      },
    },
    speech: {
      look: ["snapshot", "-i"],
      field: /(@e\d+(?:~s\d+)?) \[text-?field\]/,
      button: /(@e\d+(?:~s\d+)?) \[button\] "Add/,
      fill: (field, value) => ["fill", field, value, "--settle"],
      click: (button) => ["click", button, "--settle"],
      read: ["snapshot"],
    },
  };
  const isThere = async ({ line, speech }: Contender): Promise<void> => {
    const seen = async () =>
      speech.button.test(await runCommand(line, speech.look).catch(() => "")) ? true : undefined;
    if (!(await poll(seen, { timeoutMs: startMs, everyMs: 200 }))) throw new Error("it does not see the form");
  };
  await isThere(handsight);
  const runners: Runner[] = [inARow(handsight, stage.added)];
  const missing: Row[] = [];
  try {
    await runCommand(agentDevice.line, ["open", "--platform", "linux", "--surface", "frontmost-app"]);
    await isThere(agentDevice);
    runners.push(inARow(agentDevice, bareStage.added));
  } catch (error) {
    missing.push(absent(agentDevice.name, agentDevice.kind, messageOf(error)));
  }
  try {
    return [...(await race(runners, rounds)), ...missing];
  } finally {
    await runCommand(agentDevice.line, ["close"]).catch(() => {});
    await runCommand(handsight.line, ["session", "stop", "--all"]).catch(() => {});
  }
}
