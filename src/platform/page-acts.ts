import type { UiNode } from "../base/node.ts";

/** What only a page can do. Plain data. */
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

/** The result of a `fill` that did nothing because the field takes files and none were named. */
export const filesWanted = "files wanted";

export interface PageDialog {
  readonly type: string;
  readonly message: string;
  readonly defaultPrompt: string;
}

/** Errors on the page since they were last reported. */
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
 * What a surface itself saw of an action, from before it started until the page settled. Only facts:
 * `surface/judge-facts.ts` decides whether they are an effect.
 */
export interface Facts {
  /** The page was watched. */
  readonly isWatched: boolean;
  /** The platform itself reports that it was done. */
  readonly isTold?: boolean | undefined;
  readonly before?: UiNode | undefined;
  readonly after?: UiNode | undefined;
  /** What changed in the document, one line per change. */
  readonly lines: readonly string[];
  readonly focus?: Move | undefined;
  /** The action was meant to move the focus, or to scroll. */
  readonly isForFocus: boolean;
  readonly isForScrolling: boolean;
  readonly hasScrolled: boolean;
  /** Something was put on the clipboard. */
  readonly hasCopied: boolean;
  /** The document was replaced, or is about to be. */
  readonly hasLeft: boolean;
  /** Whether the picture changed although the document did not; "restless" when it changes by itself. */
  readonly drawn: "no" | "yes" | "restless";
  readonly url?: Move | undefined;
  readonly title?: Move | undefined;
  readonly dialog?: PageDialog | undefined;
  readonly opened: readonly string[];
  readonly downloads: readonly string[];
  readonly trouble?: PageTrouble | undefined;
  readonly settleMs: number;
}

/** The result of an action that the page watched. */
export interface Witnessed<T = unknown> extends Facts {
  readonly value: T;
  readonly via: string;
  readonly at?: { readonly x: number; readonly y: number } | undefined;
  readonly warning?: string | undefined;
  /** What may have changed by itself. */
  readonly mayRun?: "numbers" | "texts" | undefined;
}

export interface WitnessOptions {
  /** How long to look for an effect; 0 does not look. */
  readonly settleMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Acts on a page and reports what the page saw. */
export interface PageActs {
  perform(deed: PageDeed, options: WitnessOptions): Promise<Witnessed>;
}
