import type { ErrorCode } from "../../../base/errors.ts";
import type { NodeAction, UiNode } from "../../../base/node.ts";
import type { ElementEvent, ElementEventKind, Tree } from "../../backend.ts";

interface Timed {
  readonly timeoutMs: number;
}

/** What the thread that calls COM can be asked. */
export interface Requests {
  readonly tree: Timed & {
    readonly pid: number;
    readonly windowId: number | undefined;
    readonly root: string | undefined;
    readonly maxNodes: number;
  };
  readonly at: Timed & { readonly x: number; readonly y: number; readonly pid: number | undefined };
  readonly focused: Timed;
  readonly read: Timed & { readonly ids: readonly string[] };
  readonly perform: Timed & { readonly id: string; readonly action: NodeAction };
  readonly text: Timed & { readonly id: string; readonly maxChars: number };
  readonly state: Timed;
  readonly listen: Timed & { readonly kinds: readonly ElementEventKind[] };
}

export interface Answers {
  readonly tree: Tree;
  readonly at: readonly UiNode[];
  readonly focused: UiNode | undefined;
  readonly read: readonly (UiNode | undefined)[];
  readonly perform: { readonly via: string };
  readonly text: { readonly text: string; readonly length: number } | undefined;
  readonly state: {
    readonly references: number;
    readonly rungs: readonly string[];
    readonly windows: readonly string[];
  };
  /** Events that happened before the request have been sent. */
  readonly listen: undefined;
}

export type RequestName = keyof Requests;

export type ToThread = {
  readonly [Name in RequestName]: { readonly number: number; readonly name: Name; readonly request: Requests[Name] };
}[RequestName];

export type FromThread =
  | { readonly kind: "answer"; readonly number: number; readonly answer: unknown }
  | {
      readonly kind: "error";
      readonly number: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
    }
  /** The call is about to be made: if no answer comes, it was made all the same. */
  | { readonly kind: "begun"; readonly number: number; readonly via: string }
  | { readonly kind: "event"; readonly event: ElementEvent };
