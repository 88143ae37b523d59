import type { RuleAgainstFrame } from "../browser.ts";
import type { PageTrouble } from "../page-acts.ts";
import type { BlockedFrames } from "./blocked-frames.ts";
import type { Frame, FrameTree } from "./frames.ts";
import type { Remote } from "./shapes.ts";
import type { Session } from "./wire.ts";

/** A value may be an object whose toString is not a function. */
const wordsOf = ({ value, description = "" }: Remote): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : description;

const mostLines = 5;
const longestLine = 200;
const mostKept = 2_000;

interface Line {
  readonly kind: "console" | "request";
  readonly text: string;
  /** Where it came from, and which of its documents; undefined for the page itself. */
  readonly frame: Frame | undefined;
  readonly generation: number;
}

interface Request {
  readonly url: string;
  readonly frameId: string | undefined;
  readonly isDocument: boolean;
}

/** Collects console errors and failed requests until they are reported. Blocked frames have none. */
export class Trouble {
  #lines: Line[] = [];
  readonly #requests = new Map<string, Request>();
  readonly #frames: FrameTree;
  readonly #blocked: BlockedFrames;
  readonly #ruleAgainst: RuleAgainstFrame;

  constructor(frames: FrameTree, blocked: BlockedFrames, ruleAgainst: RuleAgainstFrame) {
    this.#frames = frames;
    this.#blocked = blocked;
    this.#ruleAgainst = ruleAgainst;
  }

  follow(session: Session): void {
    const worlds = new Map<number, string>();
    session.on("Runtime.executionContextCreated", ({ context: { id, auxData } }) => {
      if (auxData?.frameId !== undefined) worlds.set(id, auxData.frameId);
      if (worlds.size > 10_000) worlds.delete([...worlds.keys()][0] ?? id);
    });
    const frameOf = (world: number | undefined) => (world === undefined ? undefined : worlds.get(world));
    session.on("Runtime.consoleAPICalled", ({ type, args, executionContextId }) => {
      if (type !== "error" && type !== "assert") return;
      this.#note("console", args.map(wordsOf).join(" "), frameOf(executionContextId));
    });
    session.on("Runtime.exceptionThrown", ({ exceptionDetails: { exception, text, executionContextId } }) => {
      this.#note("console", exception?.description?.split("\n")[0] ?? text, frameOf(executionContextId));
    });
    session.on("Network.requestWillBeSent", ({ requestId, request, frameId, type }) => {
      this.#requests.set(requestId, { url: request.url, frameId, isDocument: type === "Document" });
      if (this.#requests.size > 2_000) this.#requests.clear();
    });
    session.on("Network.responseReceived", ({ requestId, response: { status, url } }) => {
      if (status >= 400) this.#noteRequest(`${status} ${url}`, this.#requests.get(requestId));
      this.#requests.delete(requestId);
    });
    session.on("Network.loadingFailed", ({ requestId, errorText, canceled }) => {
      const request = this.#requests.get(requestId);
      if (canceled !== true && request) this.#noteRequest(`${errorText} ${request.url}`, request);
    });
  }

  take(): PageTrouble | undefined {
    const known = this.#lines.filter((line) => this.#isOpen(line));
    // What comes from a frame that nobody has looked into yet waits until somebody does.
    this.#lines = this.#lines.filter((line) => !known.includes(line) && this.#mayOpen(line));
    if (known.length === 0) return undefined;
    return {
      consoleErrors: known.filter(({ kind }) => kind === "console").length,
      failedRequests: known.filter(({ kind }) => kind === "request").length,
      last: known.slice(-mostLines).map(({ text }) => text),
    };
  }

  #isOpen({ frame, generation }: Line): boolean {
    return !frame || (frame.generation === generation && this.#blocked.isOpen(frame));
  }

  #mayOpen({ frame, generation }: Line): boolean {
    return frame?.generation === generation && this.#blocked.ruleOf(frame) === undefined;
  }

  /** A frame that is sent to a blocked address and does not get there still names it. */
  #noteRequest(text: string, request: Request | undefined): void {
    const isOfFrame = request?.isDocument === true && request.frameId !== this.#frames.mainId;
    if (isOfFrame && this.#ruleAgainst({ url: request.url, title: "" }) !== undefined) return;
    this.#note("request", text, request?.frameId);
  }

  #note(kind: Line["kind"], text: string, frameId: string | undefined): void {
    const found = frameId === undefined ? undefined : this.#frames.get(frameId);
    const frame = found?.parentId === undefined ? undefined : found;
    if (frame && this.#blocked.ruleOf(frame) !== undefined) return;
    // It may be of a blocked frame where nobody says whose it is.
    if (!found && this.#blocked.hasAny) return;
    const line = { kind, text: `${kind}: ${text}`.slice(0, longestLine), frame, generation: frame?.generation ?? 0 };
    this.#lines.push(line);
    if (this.#lines.length > mostKept) this.#lines.shift();
  }
}
