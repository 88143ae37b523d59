import { chmodSync, lstatSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { openRules, openSession, withSettings } from "../../app.ts";
import { onBehalfOf } from "../../base/caller-folder.ts";
import { ToolError } from "../../base/errors.ts";
import { openLog } from "../../base/log.ts";
import { ownIdentity } from "../../base/process.ts";
import { Turns } from "../../base/turns.ts";
import { version } from "../../base/version.ts";
import type { Config } from "../../config/options.ts";
import { allTools } from "../../tools/registry.ts";
import type { Session } from "../../tools/session.ts";
import { offerApproval } from "../approval.ts";
import { makeCall } from "../call.ts";
import { EmergencyStop } from "../emergency.ts";
import { exitCodes } from "../exit.ts";
import { surviveFaults } from "../faults.ts";
import type { Host, Opening } from "../host.ts";
import { runOn } from "../program.ts";
import { reach } from "./client.ts";
import {
  buildName,
  forgetOpened,
  placeOf,
  readOpened,
  rememberOpened,
  writeCurrent,
  type SessionPlace,
} from "./place.ts";
import { RemoteCaller } from "./remote-caller.ts";
import { differences, settingsOf, toRemember, type SessionSettings } from "./settings.ts";
import { isCommand, onMessage, say, type CommandMessage, type FromClient } from "./wire.ts";

const lookAfterMs = 5_000;
const startMs = 20_000;
/** A surface that does not close by then is left to the end of the process. */
const closeMs = 4_000;

/** Thrown where a command finds that the session must not serve it; the client starts a new one. */
class Over extends Error {}

/**
 * A process that runs the commands of one user and session: it holds the surfaces, refs, pictures, grants, browsers,
 * devices and the private desktop between them. It ends when it is told to, when nobody has used it for long, and when
 * its socket is gone.
 */
class Resident {
  readonly #place: SessionPlace;
  readonly #emergency = new EmergencyStop();
  readonly #callers = new Map<Socket, RemoteCaller>();
  readonly #log = openLog({ level: "warn" });
  readonly #started = new Date();
  #server: Server | undefined;
  #inode: number | undefined;
  #opened: { readonly session: Session; readonly settings: SessionSettings; readonly config: Config } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastUsed = performance.now();
  #commands = 0;
  #isEnding = false;
  #hasLeft = false;
  #ended: Promise<void> | undefined;

  constructor(place: SessionPlace) {
    this.#place = place;
  }

  /** False when another process serves this session already. */
  async start(): Promise<boolean> {
    surviveFaults(this.#log);
    const { socket, starting, name } = this.#place;
    // Two commands may start a session at once. The second must not remove the socket of the first.
    using turns = new Turns(starting, "The session");
    const signal = AbortSignal.timeout(startMs);
    const end = await turns.take({ client: "session", tool: name }, { signal, timeoutMs: startMs });
    try {
      const other = await reach(this.#place);
      other?.destroy();
      if (other) return false;
      rmSync(socket, { force: true });
      await this.#listen(socket);
    } finally {
      end();
    }
    this.#waitForUse(firstUseMs);
    setInterval(() => this.#lookAfter(), lookAfterMs);
    for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => void this.end());
    // A terminal that closes is not the end of the session.
    process.on("SIGHUP", () => {});
    return true;
  }

  async #listen(path: string): Promise<void> {
    const { owner } = this.#place;
    const server = createServer((socket) => this.#serve(socket));
    try {
      // First: on a full disk this fails, and nobody may have connected by then.
      writeFileSync(owner, JSON.stringify(ownIdentity()), { mode: 0o600 });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(path, resolve);
      });
      chmodSync(path, 0o600);
    } catch (error) {
      rmSync(owner, { force: true });
      throw error;
    }
    this.#inode = lstatSync(path).ino;
    this.#server = server;
  }

  #serve(socket: Socket): void {
    socket.on("error", () => {});
    socket.on("close", () => this.#callers.get(socket)?.leave());
    onMessage(socket, (said) => {
      const message = said as FromClient;
      if ("command" in message) {
        if (isCommand(message.command)) void this.#run(message.command, socket);
        else socket.destroy();
      } else if ("ask" in message && message.ask === "status") say(socket, { status: this.#status() });
      else if ("ask" in message) {
        forgetOpened(this.#place);
        void this.end();
      } else this.#callers.get(socket)?.hear(message);
    });
  }

  async #run(command: CommandMessage, socket: Socket): Promise<void> {
    if (command.build !== buildName)
      return this.#giveUp(socket, "The session was started by another version of handsight");
    if (this.#isEnding) return this.#giveUp(socket, "The session was ending");
    if (!isForSession(command.argv)) return say(socket, { notMine: true });
    const caller = new RemoteCaller(command, socket);
    this.#callers.set(socket, caller);
    clearTimeout(this.#idle);
    this.#commands += 1;
    say(socket, { taken: true });
    try {
      const code = await onBehalfOf(command, () => runOn(command.argv, this.#hostFor(caller)));
      say(socket, { exit: code });
    } catch (error) {
      if (error instanceof Over) this.#giveUp(socket, error.message);
      else {
        this.#log.error(`the command ${command.argv[0]} failed`, error);
        say(socket, {
          err: `handsight: The command failed inside the session; see "handsight session log ${this.#place.name}".\n`,
        });
        say(socket, { exit: exitCodes.failed.code });
      }
    } finally {
      this.#callers.delete(socket);
      this.#lastUsed = performance.now();
      if (this.#isEnding && this.#callers.size === 0) void this.end();
      else if (this.#callers.size === 0) this.#waitForUse(this.#opened?.settings.idleMs ?? firstUseMs);
    }
  }

  #hostFor(caller: RemoteCaller): Host {
    return {
      caller,
      isSession: true,
      runTool: async (tool, args, config, options) => {
        const asked = this.#completed(config, caller);
        const session = this.#sessionFor(asked, caller);
        return session.gate.under(openRules(asked, caller.env), () =>
          makeCall(withSettings(session, asked, caller.env), tool, args, { ...options, caller }),
        );
      },
      open: (config, options) => this.#open(config, options, caller),
    };
  }

  /** What a command does not say itself is as the session was opened, now or before it was replaced. */
  #completed(config: Config, caller: RemoteCaller): Config {
    const before = this.#opened ? toRemember(this.#opened.config) : readOpened(this.#place);
    const kept = Object.entries(before ?? {}).filter(([name]) => !caller.gives(name));
    return { ...config, ...Object.fromEntries(kept) };
  }

  /** The session, opened with the settings of the first command. What it was opened with cannot change. */
  #sessionFor(config: Config, caller: RemoteCaller): Session {
    const settings = settingsOf(config, caller);
    if (!this.#opened) {
      // Every command brings its own policy; what runs between them has the strictest that still works.
      const session = openSession(
        { ...config, policy: "ask" },
        {
          tools: this.#emergency.guard(allTools),
          env: caller.env,
          keepsClipboard: true,
        },
      );
      this.#emergency.protect(session);
      offerApproval(session);
      this.#opened = { session, settings, config };
      if (config.desktop === "virtual") this.#remember(config);
      return session;
    }
    const { name } = this.#place;
    const other = differences(this.#opened.settings, settings, (name) => caller.gives(name));
    if (other.rules) throw new Over("The rules or the secrets have changed");
    if (other.names.length === 0) return this.#opened.session;
    throw new ToolError(
      "invalid_argument",
      `The session "${name}" was opened with another ${other.names.join(" and ")}.`,
      {
        hint: `End it (handsight session stop ${name}), or use another one (--session NAME).`,
      },
    );
  }

  /** Every command says where it belongs, so a full disk costs nothing but the settings after a crash. */
  #remember(config: Config): void {
    try {
      rememberOpened(this.#place, toRemember(config));
    } catch (error) {
      this.#log.warn("what the session was opened with is not kept", error);
    }
  }

  async #open(config: Config, { json }: Opening, caller: RemoteCaller): Promise<number> {
    const asked = this.#completed(config, caller);
    await this.#sessionFor(asked, caller).surface("desktop");
    try {
      rememberOpened(this.#place, toRemember(this.#opened?.config ?? asked));
      writeCurrent(this.#place.name);
    } catch (error) {
      // Commands that do not find it would work on the person's own desktop.
      throw new ToolError("not_connected", `The session cannot be kept open: ${(error as Error).message}.`, {
        cause: error,
      });
    }
    const status = this.#status();
    caller.out.write(
      json
        ? `${JSON.stringify(status)}\n`
        : `The session "${status.name}" is open, on ${status.desktop}. Commands use it until "handsight close".\n`,
    );
    return exitCodes.ok.code;
  }

  #status() {
    const isVirtual = this.#opened?.settings.desktop === "virtual";
    return {
      name: this.#place.name,
      pid: process.pid,
      version,
      desktop: this.#opened ? (isVirtual ? "a private desktop" : "your own desktop") : "nothing opened yet",
      started_at: this.#started.toISOString(),
      commands: this.#commands,
      running: this.#callers.size,
      idle_seconds: this.#callers.size > 0 ? 0 : Math.round((performance.now() - this.#lastUsed) / 1_000),
    };
  }

  #waitForUse(ms: number): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      const { recorder, hover, watches } = this.#opened?.session ?? {};
      if (recorder?.current?.isGoingOn || hover?.current?.isGoingOn || watches?.isGoingOn) this.#waitForUse(firstUseMs);
      else void this.end();
    }, ms);
  }

  /** The runtime folder goes when its user logs out; somebody may also have removed the socket, and started anew. */
  #lookAfter(): void {
    if (this.#hasLeft) return;
    if (lstatSync(this.#place.socket, { throwIfNoEntry: false })?.ino !== this.#inode) void this.end();
  }

  /** Another session takes over at once; commands under way are finished first. */
  #giveUp(socket: Socket, reason: string): void {
    this.#leave();
    say(socket, { over: reason });
    this.#isEnding = true;
    if (this.#callers.size === 0) void this.end();
  }

  /** From now on nobody finds this session. */
  #leave(): void {
    // A new session may have the same socket by now.
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { socket, owner } = this.#place;
    const isOwn = lstatSync(socket, { throwIfNoEntry: false })?.ino === this.#inode;
    // Closing removes whatever has the name of the socket, a newer session's too.
    if (!isOwn) return;
    this.#server?.close();
    for (const file of [socket, owner]) rmSync(file, { force: true });
  }

  /** Once: a second one would overtake the first and cut it short. */
  end(): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#leave();
    this.#isEnding = true;
    // Whatever is still held is released, and whoever waits gets an answer.
    for (const caller of this.#callers.values()) caller.leave();
    const late = new Promise<void>((resolve) => setTimeout(resolve, closeMs));
    await Promise.race([this.#close(), late]);
    process.exit(0);
  }

  async #close(): Promise<void> {
    try {
      await this.#opened?.session[Symbol.asyncDispose]();
    } catch (error) {
      this.#log.warn("the session did not close cleanly", error);
    }
  }
}

/** Serves the session of this name until it ends. */
export async function serveSession(name: string): Promise<void> {
  const place = placeOf(name);
  if (!place) throw new Error(`there is no place for a session "${name}"`);
  try {
    if (!(await new Resident(place).start())) process.exit(0);
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exit(1);
  }
}

/** A session that nobody uses although it was started for a command: the command has died. */
const firstUseMs = 30_000;

const toolWords: ReadonlySet<string> = new Set([
  "call",
  "open",
  ...allTools.flatMap(({ name }) => [name, name.replaceAll("_", "-")]),
]);

const isForSession = (argv: readonly string[]): boolean =>
  argv.find((word) => !word.startsWith("-") && toolWords.has(word)) !== undefined;
