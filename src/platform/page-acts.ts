import type { UiNode } from "../base/node.ts";

/** What a page can do beyond what every surface can. Plain data. */
export type PageDeed =
  | { readonly name: "click"; readonly ref: string; readonly clicks: 1 | 2 }
  | { readonly name: "hover"; readonly ref: string }
  | { readonly name: "fill"; readonly ref: string; readonly value: string; readonly files?: readonly string[] }
  | { readonly name: "press"; readonly chord: readonly string[] }
  | { readonly name: "type"; readonly text: string; readonly submit?: readonly string[] | undefined }
  | { readonly name: "dialog"; readonly accept: boolean; readonly text?: string | undefined }
  | { readonly name: "navigate"; readonly to: PageDestination; readonly timeoutMs: number }
  | {
      readonly name: "evaluate";
      readonly code: string;
      readonly args: readonly unknown[];
      readonly timeoutMs: number;
    };

export type PageDestination = { readonly url: string } | { readonly go: "back" | "forward" | "reload" };

/** The value of a `fill` that did nothing: the field takes files, and the deed names none. */
export const filesWanted = "files wanted";

export interface PageDialog {
  readonly type: string;
  readonly message: string;
  readonly defaultPrompt: string;
}

/** Trouble on the page since it was last told of. */
export interface PageTrouble {
  readonly consoleErrors: number;
  readonly failedRequests: number;
  readonly last: readonly string[];
}

interface Move {
  readonly from: string;
  readonly to: string;
}

/**
 * What a surface saw for itself of an action, from before it until it came to rest. Facts alone: whether they are an
 * effect is decided above.
 */
export interface Facts {
  /** Somebody looked. */
  readonly isWatched: boolean;
  /** The platform itself says that it was done. */
  readonly isTold?: boolean | undefined;
  readonly before?: UiNode | undefined;
  readonly after?: UiNode | undefined;
  /** What changed in the document, a line each. */
  readonly lines: readonly string[];
  readonly focus?: Move | undefined;
  /** Moving the focus, or scrolling, was what it was for. */
  readonly isForFocus: boolean;
  readonly isForScrolling: boolean;
  readonly hasScrolled: boolean;
  /** The document was left, or is being left. */
  readonly hasLeft: boolean;
  /** Whether the picture changed where the document said nothing; "restless" when it moves by itself. */
  readonly drawn: "no" | "yes" | "restless";
  readonly url?: Move | undefined;
  readonly title?: Move | undefined;
  readonly dialog?: PageDialog | undefined;
  readonly opened: readonly string[];
  readonly downloads: readonly string[];
  readonly trouble?: PageTrouble | undefined;
  readonly settleMs: number;
}

/** Something that was done while the page watched itself. */
export interface Witnessed<T = unknown> extends Facts {
  readonly value: T;
  readonly via: string;
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  readonly warning?: string | undefined;
}

export interface WitnessOptions {
  /** How long to look for an effect; 0 does not look. */
  readonly settleMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Does something in a page, and tells what the page saw of it. */
export interface PageActs {
  perform(deed: PageDeed, options: WitnessOptions): Promise<Witnessed>;
}
