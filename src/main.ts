#!/usr/bin/env node
// Keep this file in syntax that any Node with modules can parse: an old one must reach the message below, not a
// syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;

async function runCommand(argv: readonly string[]): Promise<number> {
  // The emergency stop must act at once, so it runs before anything else is loaded.
  if (argv[0] === "stop" && !argv.includes("--help")) {
    const { stopAll } = await import("./base/stop.ts");
    stopAll();
  }
  const { quickAnswer } = await import("./cli/quick.ts");
  const answer = quickAnswer(argv);
  if (answer !== undefined) {
    // `handsight --help | head` closes the pipe early; that is not an error.
    process.stdout.on("error", () => process.exit(0));
    process.stdout.write(answer);
    return 0;
  }
  const { runInSession } = await import("./cli/session/client.ts");
  const code = await runInSession(argv);
  if (code !== undefined) return code;
  const { run } = await import("./cli/program.ts");
  return run(argv);
}

if (!isSupported) {
  process.stderr.write(
    `handsight needs Node 20.19 or later, or 22.12 or later; this is ${process.versions.node}.\n` +
      "Install a current one from https://nodejs.org and try again.\n",
  );
  process.exitCode = 1;
} else if (process.argv[2] === "_session") {
  const { serveSession } = await import("./cli/session/resident.ts");
  await serveSession(process.argv[3] ?? "");
} else {
  const code = await runCommand(process.argv.slice(2));
  // A frozen app or a lost display may keep a handle open, but the command is done. Where pipe writes are
  // asynchronous (Windows), pending output is flushed first, unless nobody reads it.
  process.stdout.write("", () => process.exit(code));
  setTimeout(() => process.exit(code), 500);
}
