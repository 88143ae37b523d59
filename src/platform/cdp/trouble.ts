import type { PageTrouble } from "../page-acts.ts";
import type { Remote } from "./shapes.ts";
import type { Session } from "./wire.ts";

/** A value may be an object whose toString is no function. */
const wordsOf = ({ value, description = "" }: Remote): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : description;

const mostLines = 5;
const longestLine = 200;

/** Collects console errors and failed requests until somebody is told of them. */
export class Trouble {
  #consoleErrors = 0;
  #failedRequests = 0;
  #last: string[] = [];
  readonly #urls = new Map<string, string>();
  inFlight = 0;
  readonly #started = new Set<string>();

  follow(session: Session): void {
    session.on("Runtime.consoleAPICalled", ({ type, args }) => {
      if (type !== "error" && type !== "assert") return;
      this.#note("console", args.map(wordsOf).join(" "));
    });
    session.on("Runtime.exceptionThrown", ({ exceptionDetails: { exception, text } }) => {
      this.#note("console", exception?.description?.split("\n")[0] ?? text);
    });
    session.on("Network.requestWillBeSent", ({ requestId, request }) => {
      this.#urls.set(requestId, request.url);
      this.#started.add(requestId);
      this.inFlight = this.#started.size;
      if (this.#urls.size > 2_000) this.#urls.clear();
      if (this.#started.size > 2_000) this.#started.clear();
    });
    const done = (requestId: string): void => {
      this.#started.delete(requestId);
      this.inFlight = this.#started.size;
    };
    session.on("Network.loadingFinished", ({ requestId }) => done(requestId));
    session.on("Network.responseReceived", ({ requestId, response: { status, url } }) => {
      if (status >= 400) this.#note("request", `${status} ${url}`);
      this.#urls.delete(requestId);
    });
    session.on("Network.loadingFailed", ({ requestId, errorText, canceled }) => {
      done(requestId);
      const url = this.#urls.get(requestId);
      if (canceled !== true && url !== undefined) this.#note("request", `${errorText} ${url}`);
    });
  }

  take(): PageTrouble | undefined {
    if (this.#last.length === 0) return undefined;
    const told = { consoleErrors: this.#consoleErrors, failedRequests: this.#failedRequests, last: this.#last };
    this.#consoleErrors = 0;
    this.#failedRequests = 0;
    this.#last = [];
    return told;
  }

  #note(kind: "console" | "request", text: string): void {
    if (kind === "console") this.#consoleErrors++;
    else this.#failedRequests++;
    this.#last = [...this.#last, `${kind}: ${text}`.slice(0, longestLine)].slice(-mostLines);
  }
}
