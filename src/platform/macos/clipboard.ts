import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions, Clipboard, Traces } from "../backend.ts";
import { newString, textOf } from "./cf.ts";
import type { Mac } from "./mac.ts";

export class MacClipboard implements Clipboard {
  readonly #mac: Mac;

  constructor(mac: Mac) {
    this.#mac = mac;
  }

  async read({ signal }: CallOptions = {}): Promise<string | undefined> {
    throwIfCancelled(signal);
    const { native, burst } = this.#mac;
    return burst(() => {
      const board = native.send(null, "+[NSPasteboard generalPasteboard]");
      const text = native.send(
        board,
        "-[NSPasteboard stringForType:]",
        native.variable("AppKit", "NSPasteboardTypeString"),
      );
      return text === null ? undefined : textOf(native, text);
    });
  }

  async write(text: string, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    const { native, burst } = this.#mac;
    burst((own) => {
      const board = native.send(null, "+[NSPasteboard generalPasteboard]");
      native.send(board, "-[NSPasteboard clearContents]");
      const type = native.variable("AppKit", "NSPasteboardTypeString");
      const isTaken = native.send(board, "-[NSPasteboard setString:forType:]", own(newString(native, text)), type);
      if (!isTaken) throw new ToolError("ax_error", "The clipboard did not take the text.", { hint: "Try again." });
    });
  }

  /** macOS counts how often anybody has copied something, and says nothing of who. */
  async traces(): Promise<Traces> {
    const { native, burst } = this.#mac;
    const clipboard = burst(() =>
      native.send(native.send(null, "+[NSPasteboard generalPasteboard]"), "-[NSPasteboard changeCount]"),
    );
    return { clipboard, primary: 0 };
  }
}
