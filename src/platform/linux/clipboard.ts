import { spawn } from "node:child_process";
import { once } from "node:events";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Lock } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions, Clipboard, Traces } from "../backend.ts";
import type { XDisplay } from "./display.ts";
import { Inbox } from "./x11/inbox.ts";
import { countCopies } from "./clipboard/copies.ts";
import { readSelection } from "./clipboard/read.ts";
import { SelectionOwner } from "./clipboard/serve.ts";
import type { Connection } from "./x11/connection.ts";
import type { XEvent } from "./x11/events.ts";
import { changeProperty, convertSelection, getSelectionOwner, predefined } from "./x11/requests.ts";
import { helperWindow } from "./x11/watch.ts";

/** A server that ends with its client has one second for everything; this is part of it. */
const handOverMs = 500;

export interface ClipboardOptions {
  /** The environment a holder process is started with. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Leaves a small process behind that keeps offering the text until another app copies something. On X11 the
   * clipboard belongs to a running process, so a one-shot command needs this; a server must leave no child behind.
   */
  readonly keepAfterExit?: boolean;
}

export class XClipboard implements Clipboard, AsyncDisposable {
  readonly #display: XDisplay;
  readonly #options: ClipboardOptions;
  readonly #lock = new Lock();
  #owner: SelectionOwner | undefined;

  constructor(display: XDisplay, options: ClipboardOptions) {
    this.#display = display;
    this.#options = options;
  }

  read({ signal }: CallOptions = {}): Promise<string | undefined> {
    return this.#lock.run("exclusive", signal, async () => {
      const c = await this.#display.connect({ signal });
      const clipboard = await c.atom("CLIPBOARD");
      // Ask the server: the event that another app has copied something may not have been read yet.
      const [owner, window] = await Promise.all([getSelectionOwner(c, clipboard), helperWindow(c)]);
      if (owner === window && this.#owner?.isOwner) return this.#owner.text;
      return readSelection(c, clipboard, { signal });
    });
  }

  write(text: string, { signal }: CallOptions = {}): Promise<void> {
    return this.#lock.run("exclusive", signal, async () => {
      const c = await this.#display.connect({ signal });
      this.#owner?.release();
      this.#owner = await SelectionOwner.own(c, await c.atom("CLIPBOARD"), text);
      if (this.#owner) return;
      throw new ToolError("timeout", "Another app took the clipboard over at the same moment.", { hint: "Try again." });
    });
  }

  async copies(windowId: number, { signal }: CallOptions = {}): Promise<Traces> {
    return countCopies(await this.#display.connect({ signal }), windowId, { signal });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const owner = this.#owner;
    this.#owner = undefined;
    if (!owner?.isOwner) return;
    try {
      if (!(await handToManager(owner)) && this.#options.keepAfterExit) {
        await startHolder(owner.text, this.#options.env);
      }
    } catch (error) {
      if (!owner.connection.isClosed) throw error;
    } finally {
      owner.release();
    }
  }
}

/** Asks the desktop's clipboard manager, if it has one, to keep the text (freedesktop.org clipboard manager spec). */
async function handToManager(owner: SelectionOwner): Promise<boolean> {
  const c: Connection = owner.connection;
  const { CLIPBOARD_MANAGER: manager, SAVE_TARGETS: target } = await c.atoms("CLIPBOARD_MANAGER", "SAVE_TARGETS");
  if ((await getSelectionOwner(c, manager)) === 0) return false;
  const [window, property] = await Promise.all([helperWindow(c), c.atom("_HANDSIGHT_SELECTION")]);
  const isAnswer = (event: XEvent): event is Extract<XEvent, { readonly type: "SelectionNotify" }> =>
    event.type === "SelectionNotify" && event.requestor === window && event.selection === manager;
  using inbox = new Inbox(c, isAnswer);
  changeProperty(c, window, property, predefined.atom, { u32: owner.savedTargets });
  convertSelection(c, { requestor: window, selection: manager, target, property });
  const answer = await inbox.next(handOverMs);
  return answer !== undefined && answer.property !== 0;
}

/** Resolves when the holder owns the clipboard. */
async function startHolder(text: string, env: NodeJS.ProcessEnv): Promise<void> {
  const own = fileURLToPath(import.meta.url);
  const program = fileURLToPath(new URL(`./clipboard/holder${extname(own)}`, import.meta.url));
  const holder = spawn(process.execPath, [program], {
    env,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  // Its exit is enough to know.
  holder.stdin.on("error", () => {});
  holder.stdin.end(text);
  await Promise.race([once(holder.stdout, "data"), once(holder, "exit"), once(holder, "error")]);
  holder.stdout.destroy();
  holder.unref();
}
