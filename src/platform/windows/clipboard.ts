import { Lock, poll, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions, Clipboard, Traces } from "../backend.ts";
import type { MessageThread } from "./messages/thread.ts";
import { win32, type Handle } from "./win32.ts";
import { pidOf } from "./windows/list.ts";

const unicodeText = 13;
const movable = 2;
/** Another program has it open for a moment after something was copied. */
const openMs = 1000;

export class Win32Clipboard implements Clipboard {
  readonly #messages: MessageThread;
  readonly #lock = new Lock();
  readonly #copies = new Map<number, number>();
  #sequence: number | undefined;

  constructor(messages: MessageThread) {
    this.#messages = messages;
  }

  read({ signal }: CallOptions = {}): Promise<string | undefined> {
    return this.#open(0, signal, () => {
      const api = win32();
      if (api.hasFormat(unicodeText) === 0) return undefined;
      const memory = api.getClipboard(unicodeText);
      const address: unknown = memory === 0 ? null : api.lock(memory);
      if (address === null) return undefined;
      try {
        const bytes = Buffer.from(api.view(address, api.sizeOf(memory)));
        const text = bytes.toString("utf16le");
        const end = text.indexOf("\0");
        return (end < 0 ? text : text.slice(0, end)).replaceAll("\r\n", "\n");
      } finally {
        api.unlock(memory);
      }
    });
  }

  async write(text: string, { signal }: CallOptions = {}): Promise<void> {
    const owner = await this.#messages.clipboardWindow();
    await this.#open(owner, signal, () => {
      const api = win32();
      const bytes = Buffer.from(`${text.replaceAll(/\r?\n/g, "\r\n")}\0`, "utf16le");
      const memory = api.allocate(movable, bytes.length);
      const address: unknown = memory === 0 ? null : api.lock(memory);
      if (address === null)
        throw new ToolError("not_connected", `Windows gave no memory for ${text.length} characters.`);
      api.view(address, bytes.length).set(bytes);
      api.unlock(memory);
      api.emptyClipboard();
      if (api.setClipboard(unicodeText, memory) !== 0) return;
      api.free(memory);
      throw new ToolError("timeout", "Another app took the clipboard over at the same moment.", { hint: "Try again." });
    });
  }

  /** Who owns it has copied; a change that was followed by another before the next look counts once. */
  async copies(windowId: number, { signal }: CallOptions = {}): Promise<Traces> {
    throwIfCancelled(signal);
    const api = win32();
    const sequence = api.clipboardSequence();
    if (this.#sequence !== undefined && sequence !== this.#sequence) {
      const owner = api.clipboardOwner();
      const pid = owner === 0 ? 0 : pidOf(owner);
      this.#copies.set(pid, (this.#copies.get(pid) ?? 0) + 1);
    }
    this.#sequence = sequence;
    return { clipboard: this.#copies.get(pidOf(windowId)) ?? 0, primary: 0 };
  }

  #open<T>(owner: Handle, signal: AbortSignal | undefined, work: () => T): Promise<T> {
    return this.#lock.run("exclusive", signal, async () => {
      throwIfCancelled(signal);
      const api = win32();
      const isOpen = await poll(async () => (api.openClipboard(owner) === 0 ? undefined : true), {
        timeoutMs: openMs,
        everyMs: 10,
        signal,
      });
      if (!isOpen) {
        throw new ToolError("timeout", `Another program has had the clipboard open for ${openMs} ms.`, {
          hint: "Try again.",
        });
      }
      try {
        return work();
      } finally {
        api.closeClipboard();
      }
    });
  }
}
