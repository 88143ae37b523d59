// Opens a desktop with programs in it, prints which, and keeps it until its input ends or it is killed.
// Arguments: the file URL of the compiled desktop.js, the options as JSON.
import { spawn } from "node:child_process";
import { once } from "node:events";

const [desktopUrl = "", options = "{}"] = process.argv.slice(2);
const { openVirtualDesktop } = await import(desktopUrl);
process.stdout.write("starting\n");
const desktop = await openVirtualDesktop({ width: 640, height: 480, monitors: 1, scale: 1, ...JSON.parse(options) });
const run = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
  spawn(program, args, { env: desktop.env, stdio: "ignore" }).unref();
run("mousepad");
// Two that do not end with their display: one that left our session and process group, one that ignores requests.
run("sh", "-c", "(setsid sleep 1000 &)");
run("sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done");
process.stdout.write(`${JSON.stringify({ id: desktop.id, display: desktop.display, env: desktop.env })}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await desktop[Symbol.asyncDispose]();
process.exit(0);
