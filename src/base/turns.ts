import { randomBytes } from "node:crypto";
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { sleep } from "./async.ts";
import { ToolError } from "./errors.ts";
import { Line } from "./line.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process.ts";
import { makeOwn } from "./runtime.ts";

/** Who acts on a desktop, for those who wait. */
export interface Actor {
  readonly client: string;
  readonly tool: string;
}

interface Holder extends Actor, ProcessIdentity {
  since: number;
}

export interface TurnOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called once if there is somebody to wait for. */
  readonly onWait?: (holder: string) => void;
}

const holderFile = "turn";
// A short link is stored in its own directory entry: creating and removing it takes a tenth of the time.
const longestLink = 59;
const linkless: ReadonlySet<string> = new Set(["EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EINVAL"]);
const firstLooksMs = 3;
const othersLookMs = 15;

/**
 * One action at a time on one desktop or device, from whichever process of this user. Within a process the calls
 * queue in memory, first come, first served; only the first of them asks for the desktop. Between processes, files in
 * a folder of this user decide: the turn is a link that only one process can create, and whose target names the
 * holder; the next is the oldest ticket. A process that died gives up both.
 */
export class Turns implements Disposable {
  readonly #folder: string;
  readonly #what: string;
  readonly #self = ownIdentity();
  readonly #line = new Line<Holder>();

  constructor(folder: string, what = "The desktop") {
    this.#folder = folder;
    this.#what = what;
  }

  /** Resolves with the function that ends the turn. `timeout` names whoever holds it. */
  async take(actor: Actor, options: TurnOptions): Promise<() => void> {
    const until = performance.now() + options.timeoutMs;
    const own: Holder = {
      ...this.#self,
      tool: actor.tool,
      client: actor.client,
      since: Date.now(),
    };
    const ahead = this.#line.first;
    if (ahead) options.onWait?.(describe(ahead));
    const leave = await this.#line.enter(own, options);
    if (!leave) throw busy(this.#what, this.#line.first, options.timeoutMs);
    own.since = Date.now();
    try {
      const end = await this.#takeAmongAll(own, until, options);
      return () => {
        try {
          end();
        } finally {
          leave();
        }
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Nothing in this process holds the turn or waits for it. */
  get isFree(): boolean {
    return this.#line.first === undefined;
  }

  /** Removes the folder, unless others use it, too. */
  [Symbol.dispose](): void {
    try {
      rmdirSync(this.#folder);
    } catch {
      // Not empty, or never created.
    }
  }

  async #takeAmongAll(holder: Holder, until: number, options: TurnOptions): Promise<() => void> {
    // If there is no shared folder, every process acts as if alone.
    if (!makeOwn(this.#folder)) return () => {};
    if (this.#tickets().length === 0 && this.#grab(holder)) return () => this.#release();
    return this.#queue(holder, until, options);
  }

  async #queue(own: Holder, until: number, { signal, timeoutMs, onWait }: TurnOptions): Promise<() => void> {
    // The monotonic clock is the same for all processes of a machine.
    const order = process.hrtime.bigint().toString().padStart(20, "0");
    const ticket = `ticket-${order}-${process.pid}-${randomBytes(3).toString("hex")}`;
    writeFileSync(join(this.#folder, ticket), "", { mode: 0o600 });
    let isTold = false;
    try {
      for (;;) {
        const isFirst = this.#tickets()[0] === ticket;
        if (isFirst && this.#grab(own)) return () => this.#release();
        const holder = this.#holder();
        if (holder && !isTold) onWait?.(describe(holder));
        isTold ||= holder !== undefined;
        if (performance.now() >= until) throw busy(this.#what, holder, timeoutMs);
        await sleep(isFirst ? firstLooksMs : othersLookMs, signal);
      }
    } finally {
      rmSync(join(this.#folder, ticket), { force: true });
    }
  }

  /** Oldest first; tickets of processes that have ended are removed. */
  #tickets(): readonly string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.startsWith("ticket-"))
      .sort()
      .filter((name) => {
        const isAlive = isRunning({ pid: Number(name.split("-")[2]), started: undefined });
        if (!isAlive) rmSync(join(this.#folder, name), { force: true });
        return isAlive;
      });
  }

  #grab(own: Holder): boolean {
    const path = join(this.#folder, holderFile);
    if (create(path, own)) return true;
    const holder = this.#holder();
    if (!holder || isRunning(holder)) return false;
    const aside = join(this.#folder, `dead-${randomBytes(6).toString("hex")}`);
    try {
      renameSync(path, aside);
    } catch {
      return false;
    }
    // In the meantime somebody else may have done the same and begun a turn.
    const moved = read(aside);
    if (moved && isRunning(moved)) {
      // If a third process was even faster, whoever lost the turn will soon end.
      create(path, moved);
    }
    rmSync(aside, { force: true });
    return false;
  }

  #release(): void {
    remove(join(this.#folder, holderFile));
  }

  #holder(): Holder | undefined {
    return read(join(this.#folder, holderFile));
  }
}

/** A link is created atomically, and only if there is none; false when there is one. */
function create(path: string, holder: Holder): boolean {
  const text = write(holder);
  const attempt = (make: () => void): boolean => {
    try {
      make();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  };
  try {
    return attempt(() => symlinkSync(text, path));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // The last user of the folder has just removed it.
    if (code === "ENOENT" && makeOwn(dirname(path))) return attempt(() => symlinkSync(text, path));
    // Not every system lets everyone create links.
    if (!linkless.has(code)) throw error;
    return attempt(() => writeFileSync(path, text, { flag: "wx", mode: 0o600 }));
  }
}

/** Called after every action: rmSync would look at the file first. */
function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Cuts a long name to what fits. */
function write({ pid, started = "", since, tool, client }: Holder): string {
  const name = client.replaceAll(/\p{Cc}/gu, " ");
  const whole = `${pid}/${started}/${since.toString(36)}/${tool}/${name}`;
  if (Buffer.byteLength(whole) <= longestLink) return whole;
  let text = "";
  for (const letter of whole) {
    if (Buffer.byteLength(text + letter) > longestLink) break;
    text += letter;
  }
  return text;
}

function read(file: string): Holder | undefined {
  let text: string;
  try {
    text = textOf(file);
  } catch {
    return undefined;
  }
  const [, pid, started, since = "", tool = "", client = ""] =
    /^(\d+)\/(\w*)\/(\w+)(?:\/([^/]*)(?:\/(.*))?)?$/s.exec(text) ?? [];
  return pid === undefined
    ? undefined
    : { pid: Number(pid), started: started || undefined, since: Number.parseInt(since, 36), tool, client };
}

function textOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw error;
    return readFileSync(file, "utf8");
  }
}

const describe = ({ client, pid, tool, since }: Holder): string =>
  `${client} (pid ${pid}), which has been in ${tool} for ${((Date.now() - since) / 1_000).toFixed(1)} s`;

function busy(what: string, holder: Holder | undefined, timeoutMs: number): ToolError {
  const who = holder ? describe(holder) : "others waiting for it";
  return new ToolError("timeout", `${what} is being used by ${who}; it did not become free within ${timeoutMs} ms.`, {
    hint: "Call again later, or work on a private desktop (--desktop virtual).",
  });
}
