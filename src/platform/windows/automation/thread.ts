import { parentPort, workerData } from "node:worker_threads";
import { ToolError } from "../../../base/errors.ts";
import type { ElementEventKind } from "../../backend.ts";
import { ComError, isGone, isSilent } from "./com.ts";
import { heartbeat } from "./deadline.ts";
import type { FromThread, ToThread } from "./messages.ts";
import { gone } from "./refusals.ts";
import { AutomationSession } from "./session.ts";
import { openWin32 } from "./win32.ts";
import { WinEvents } from "./win-events.ts";
import { WindowFacts } from "./window.ts";

/** How often the queue of events is looked into while somebody listens. */
const pumpMs = 8;

if (!parentPort) throw new Error("This file is the start of a thread.");
const port = parentPort;
const send = (message: FromThread): void => port.postMessage(message);

const beats = new Int32Array(workerData as SharedArrayBuffer);
heartbeat.beat = () => void Atomics.add(beats, 0, 1);

const win32 = openWin32();
const session = new AutomationSession(win32);
let events: WinEvents | undefined;
let kinds: ReadonlySet<ElementEventKind> = new Set();
let pumping: NodeJS.Timeout | undefined;

function listen(wanted: readonly ElementEventKind[]): undefined {
  kinds = new Set(wanted);
  if (kinds.size > 0) {
    events ??= new WinEvents(win32, new WindowFacts(win32), (event) => {
      if (kinds.has(event.kind)) send({ kind: "event", event });
    });
    pumping ??= setInterval(() => events?.pump(), pumpMs);
  }
  events?.pump();
  if (kinds.size === 0) {
    clearInterval(pumping);
    pumping = undefined;
    events?.release();
    events = undefined;
  }
}

function answer(message: ToThread): unknown {
  switch (message.name) {
    case "perform":
      return session.perform(message.request, (via) => send({ kind: "begun", number: message.number, via }));
    case "listen":
      return listen(message.request.kinds);
    case "tree":
      return session.tree(message.request);
    case "at":
      return session.at(message.request);
    case "focused":
      return session.focused(message.request);
    case "read":
      return session.read(message.request);
    case "text":
      return session.text(message.request);
    case "state":
      return session.state(message.request);
  }
}

/** What went wrong, in the words of the tools. */
function toToolError(error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  if (error instanceof ComError && isGone(error.result)) return gone();
  if (error instanceof ComError && isSilent(error.result)) {
    return new ToolError("timeout", "The app did not answer.", { hint: "It may be busy or hang: try again." });
  }
  return new ToolError("internal", error instanceof Error ? error.message : String(error));
}

port.on("message", (message: ToThread) => {
  const { number } = message;
  try {
    send({ kind: "answer", number, answer: answer(message) });
  } catch (error) {
    const { code, message: text, details } = toToolError(error);
    send({ kind: "error", number, code, message: text, hint: details.hint });
  }
});
