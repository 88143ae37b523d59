/**
 * Every expected way in which a call can fail. The table prints docs/errors.md; a retired code is never reused.
 * `retryable` says whether the same call may work later without any change by the caller.
 */
export const errorCodes = {
  invalid_argument: { meaning: "An argument is missing, unknown or out of range.", retryable: false },
  not_found: { meaning: "Nothing matches: no such window, app, file, frame or tool.", retryable: false },
  ambiguous_target: { meaning: "More than one thing matches; the candidates are listed.", retryable: false },
  snapshot_expired: { meaning: "The ref is from an older snapshot.", retryable: false },
  uid_not_found: { meaning: "The snapshot has no element with this ref.", retryable: false },
  stale_frame: {
    meaning: "The window was resized since the screenshot, so its pixels no longer match.",
    retryable: false,
  },
  out_of_bounds: { meaning: "The point is outside the picture, the window or the screen.", retryable: false },
  not_dispatchable: { meaning: "The element has no native action of this kind.", retryable: false },
  no_row_ancestor: { meaning: "The element is not inside a row.", retryable: false },
  no_outline_container: { meaning: "The row is not inside a list, table or tree.", retryable: false },
  ax_error: { meaning: "The app's accessibility interface returned an error.", retryable: true },
  pattern_unsupported: { meaning: "The control does not support this kind of action.", retryable: false },
  not_connected: { meaning: "There is no connection to the display, browser or device.", retryable: true },
  not_active: { meaning: "The session this tool belongs to has not been started.", retryable: false },
  already_active: { meaning: "The session this tool starts is already running.", retryable: false },
  app_already_running: { meaning: "The app is running, so new arguments cannot reach it.", retryable: false },
  process_not_running: { meaning: "The process has ended.", retryable: false },
  window_gone: { meaning: "The window was closed.", retryable: false },
  permission_missing: { meaning: "The operating system does not allow this yet.", retryable: false },
  denied: { meaning: "The policy, the person asked, or the model refused.", retryable: false },
  not_confirmed: {
    meaning: "It was done, but the effect that the caller demanded was not seen.",
    retryable: false,
  },
  rate_limited: { meaning: "Too many calls in the last minute.", retryable: true },
  timeout: { meaning: "It did not happen within the time allowed.", retryable: true },
  cancelled: { meaning: "The caller cancelled; whatever was held has been released.", retryable: true },
  not_supported: { meaning: "This surface or machine cannot do it.", retryable: false },
  internal: { meaning: "A bug in handsight; the log has the details under the given id.", retryable: false },
} as const satisfies Record<string, { meaning: string; retryable: boolean }>;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorDetails {
  /** What the caller can do next, as one sentence. */
  readonly hint?: string;
  /** A point that is safe to click instead. */
  readonly fallback?: { readonly x: number; readonly y: number };
  /** What the caller may have meant. */
  readonly candidates?: readonly string[];
  /** What was there instead, one line per element. Not sent over the wire: an answer quotes it itself. */
  readonly snapshot?: string;
  /** How long to wait before the same call may work. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one form in which every failure reaches a caller. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint?: string;
    readonly fallback?: { readonly x: number; readonly y: number };
    readonly candidates?: readonly string[];
    readonly retry_after_ms?: number;
    readonly retryable: boolean;
  };
  /** The error may quote text that somebody else put on the screen. */
  readonly untrusted_text?: true;
  /** Excerpts of it that read like orders to an agent. */
  readonly suspicious_text?: readonly string[];
}

// Many messages quote what the caller sent, which may be megabytes long.
const longestMessage = 8_000;

const clip = (text: string): string =>
  text.length <= longestMessage ? text : `${text.slice(0, longestMessage)}… (${text.length} characters)`;

/** An expected failure. Anything else that is thrown is a bug and becomes `internal`. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.details = details;
  }

  toEnvelope(): ErrorEnvelope {
    const { hint, fallback, candidates, retryAfterMs } = this.details;
    return {
      error: {
        code: this.code,
        message: clip(this.message),
        ...(hint === undefined ? {} : { hint }),
        ...(fallback === undefined ? {} : { fallback }),
        ...(candidates === undefined ? {} : { candidates }),
        ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
        retryable: errorCodes[this.code].retryable,
      },
    };
  }
}
