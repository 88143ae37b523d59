import { createServer } from "node:net";
import { join } from "node:path";
import { now, race, type Kind, type Runner } from "../measure.ts";
import { timesOf, type Table } from "../report.ts";
import { runCommand, type CommandLine } from "./command.ts";

/** Connects, sends a line, waits for one and ends: the least a client of a session can be. */
const emptyCall = `
const socket = require("node:net").connect(process.argv[1], () => socket.write("x\\n"));
socket.once("data", () => process.exit(0));
`;

/** What starting costs anybody, and what it costs us. */
export async function raceFloors(line: CommandLine, rounds: number): Promise<Table> {
  const socket = join(line.folder, "floor.sock");
  const server = createServer((client) => client.on("error", () => {}).on("data", () => client.write("x\n")));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const node =
    (words: readonly string[]): (() => Promise<string>) =>
    () =>
      runCommand({ ...line, args: [] }, words);
  const ours =
    (words: readonly string[]): (() => Promise<string>) =>
    () =>
      runCommand(line, words);
  try {
    const rows = await race(
      [
        start("handsight get_mouse_position, in a session", "ours", ours(["get_mouse_position"])),
        start("handsight --version", "ours", ours(["--version"])),
        start("handsight --help", "ours", ours(["--help"])),
        start("bare node -e 0", "library", node(["-e", "0"])),
        start("node, empty call over a socket", "library", node(["-e", emptyCall, socket])),
      ],
      rounds,
    );
    const [command, version, help, bare] = rows;
    return {
      title: "Start to end of one command",
      rows,
      verdicts: [timesOf(version, bare, 1.5), timesOf(help, bare, 1.5), timesOf(command, bare, 2)],
    };
  } finally {
    server.close();
  }
}

const start = (name: string, kind: Kind, run: () => Promise<string>): Runner => ({
  name,
  kind,
  async run() {
    const started = now();
    await run();
    return { ms: now() - started };
  },
});
