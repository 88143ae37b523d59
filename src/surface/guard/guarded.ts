import type {
  Backend,
  CallOptions,
  Capture,
  CaptureArea,
  CaptureOptions,
  EncodedCapture,
  ListOptions,
  Screen,
  WindowInfo,
  Windows,
} from "../../platform/backend.ts";

/**
 * The contract as seen above the guard, with the marks that the policy adds. Everything above the platforms gets this
 * type; an unguarded backend is one without marks.
 */
export interface GuardedBackend extends Backend {
  readonly screen?: GuardedScreen;
  readonly windows?: GuardedWindows;
}

export interface GuardedCapture extends Capture {
  /** How many windows and fields were painted over. */
  readonly masked?: number;
  /** A password field kept moving, so everything around it was painted over. */
  readonly isCovered?: boolean;
}

export interface GuardedScreen extends Screen {
  capture(area: CaptureArea, options?: CaptureOptions): Promise<GuardedCapture>;
  encoded?(area: CaptureArea, options?: CaptureOptions): Promise<EncodedCapture | GuardedCapture | undefined>;
}

export interface GuardedWindow extends WindowInfo {
  /** The policy keeps this window from being seen and used; of it no more is known than where it is. */
  readonly blocked?: { readonly rule: string } | undefined;
  /** The windows of `owners`, with what they belong to. */
  readonly belongsTo?: readonly GuardedWindow[] | undefined;
}

export interface GuardedWindows extends Windows {
  list(options?: ListOptions): Promise<readonly GuardedWindow[]>;
  get(id: number, options?: CallOptions): Promise<GuardedWindow | undefined>;
}
