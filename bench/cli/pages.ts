import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { browserProgram, needsNoSandbox, peerFile } from "../economy/page-servers/place.ts";
import { absent, messageOf, race, type Row } from "../measure.ts";
import { runCommand, type CommandLine } from "./command.ts";
import { inARow, type Contender } from "./job.ts";

const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Form</title><link rel="icon" href="data:,">
<main><label>Name <input id="name"></label> <button id="add">Add</button> <p id="said">Nobody yet</p></main>
<script>
const at = (id) => document.getElementById(id);
at("add").addEventListener("click", () => {
  at("said").textContent = "Added " + at("name").value;
  fetch(location.href, { method: "POST", body: at("name").value, keepalive: true });
});
</script></html>`;

/** A form that tells what was added to it, by the address it was opened at. */
async function openForm() {
  const added = new Map<string, string[]>();
  const server = createServer((request, response) => {
    const { url: path = "/", method } = request;
    if (method !== "POST")
      return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    void text(request).then((name) => {
      added.set(path, [...(added.get(path) ?? []), name]);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    added: (path: string) => added.get(path) ?? [],
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function racePages(ours: CommandLine, rounds: number): Promise<Row[]> {
  using form = await openForm();
  const agentBrowser: CommandLine = {
    command: peerFile("agent-browser", "bin", `agent-browser-linux-${process.arch}`),
    args: [],
    folder: ours.folder,
    env: {
      ...ours.env,
      AGENT_BROWSER_EXECUTABLE_PATH: await browserProgram(),
      AGENT_BROWSER_SESSION: `cli-${process.pid}`,
      ...(needsNoSandbox ? { AGENT_BROWSER_ARGS: "--no-sandbox" } : {}),
    },
  };
  const contenders: (Contender & { open: (url: string) => readonly string[]; close: readonly string[] })[] = [
    {
      name: "handsight",
      kind: "ours",
      note: "every action verified",
      line: ours,
      open: (url) => ["cdp_launch", url, "--headless"],
      close: ["cdp_close"],
      speech: {
        look: ["take_ax_snapshot", "--surface", "page:1"],
        field: /textbox "Name" (d\d+)/,
        button: /button "Add" (d\d+)/,
        fill: (field, value) => ["cdp_fill", "--uid", field, "--value", value],
        click: (button) => ["cdp_click", "--uid", button],
        read: ["take_ax_snapshot", "--surface", "page:1"],
      },
    },
    {
      name: "agent-browser",
      kind: "command",
      note: "verifies nothing",
      line: agentBrowser,
      open: (url) => ["open", url],
      close: ["close"],
      speech: {
        look: ["snapshot", "-i"],
        field: /textbox "Name ?" \[[^\]\n]*?ref=(e\d+)/,
        button: /button "Add" \[[^\]\n]*?ref=(e\d+)/,
        fill: (field, value) => ["fill", `@${field}`, value],
        click: (button) => ["click", `@${button}`],
        read: ["get", "text", "#said"],
      },
    },
  ];
  const runners = [];
  const missing: Row[] = [];
  const opened: (() => Promise<unknown>)[] = [];
  try {
    for (const { open, close, ...contender } of contenders) {
      const path = `/${contender.name}`;
      try {
        opened.push(() => runCommand(contender.line, close));
        await runCommand(contender.line, open(`${form.url}${path}`));
        runners.push(inARow(contender, () => form.added(path)));
      } catch (error) {
        missing.push(absent(contender.name, contender.kind, messageOf(error)));
      }
    }
    return [...(await race(runners, rounds)), ...missing];
  } finally {
    for (const close of opened) await close().catch(() => {});
  }
}
