import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { screenPoint, type ScreenPoint } from "../../base/geometry.ts";
import type { CallOptions, GrabbedEvent, HeardEvent, Input } from "../backend.ts";
import { cursorAt } from "./input/cursor.ts";
import { HeardInput, toMouse } from "./input/heard.ts";
import type { RawInput } from "./messages/protocol.ts";
import type { MessageThread } from "./messages/thread.ts";
import { win32 } from "./win32.ts";

const captureAt = 24;

/** Listens to the input of the session. */
export class HookedInput implements Input {
  readonly #messages: MessageThread;

  constructor(messages: MessageThread) {
    this.#messages = messages;
  }

  async position({ signal }: CallOptions = {}): Promise<ScreenPoint> {
    throwIfCancelled(signal);
    return cursorAt();
  }

  async watchPointer(listener: () => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    throwIfCancelled(signal);
    return this.#messages.listen({ moves: true }, (raw) => {
      if (toMouse(raw)?.kind === "move") listener();
    });
  }

  async listen(listener: (event: HeardEvent) => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    throwIfCancelled(signal);
    const heard = new HeardInput();
    return this.#messages.listen({ buttons: true, keys: true }, (raw) => {
      const event = heard.hear(raw);
      if (event) listener(event);
    });
  }

  async grabPointer(listener: (event: GrabbedEvent) => void, { signal }: CallOptions = {}): Promise<AsyncDisposable> {
    throwIfCancelled(signal);
    const claim = isTaken() ? undefined : claimPointer();
    if (!claim) {
      throw new ToolError("timeout", "Another program has the pointer, such as one with an open menu.", {
        hint: "Close the menu or end the drag, and try again.",
      });
    }
    const wanted = { moves: true, buttons: true, takesButtons: true };
    const hear = (raw: RawInput): void => {
      if (raw.kind === "key") {
        if (raw.isDown) listener({ kind: "escape" });
        return;
      }
      const mouse = toMouse(raw);
      const at = screenPoint(raw.x, raw.y);
      if (mouse?.kind === "move") listener({ kind: "move", at });
      else if (mouse?.kind === "down" || mouse?.kind === "up") listener({ kind: mouse.kind, at, button: mouse.button });
    };
    const listening = await this.#messages.listen(wanted, hear).catch((error: unknown) => {
      claim[Symbol.dispose]();
      throw error;
    });
    return {
      async [Symbol.asyncDispose]() {
        await listening[Symbol.asyncDispose]();
        claim[Symbol.dispose]();
      },
    };
  }
}

const claimName = "Local\\handsight-pointer";
const synchronize = 0x100000;

/** A hook says nothing about the hooks of others; the name is gone when its process is. */
function claimPointer(): Disposable | undefined {
  const api = win32();
  const other = api.openMutex(synchronize, 0, claimName);
  if (other !== 0) api.closeHandle(other);
  const own = other === 0 ? api.createMutex(null, 0, claimName) : 0;
  return own === 0 ? undefined : { [Symbol.dispose]: () => void api.closeHandle(own) };
}

/** A program that drags, or has a menu open. */
function isTaken(): boolean {
  const info = Buffer.alloc(72);
  info.writeUInt32LE(info.length, 0);
  return win32().guiThread(0, info) !== 0 && info.readBigUInt64LE(captureAt) !== 0n;
}
