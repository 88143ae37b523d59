import type { z } from "zod";
import type { Lock } from "../base/async.ts";
import type { Size } from "../base/geometry.ts";
import type { PrivatePorts } from "../base/private-ports.ts";
import type { Turns } from "../base/turns.ts";
import type { Log } from "../base/log.ts";
import type { Journal } from "../journal/journal.ts";
import type { Secrets } from "../journal/secrets.ts";
import type { WrittenFiles } from "../policy/written-files.ts";
import type { GuardedBrowsers } from "../surface/guard/browsers.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { Devices } from "../platform/devices.ts";
import type { Surface } from "../surface/surface.ts";
import type { ImageFinder } from "../vision/find-image/finder.ts";
import type { ImageStore } from "../vision/image-store.ts";
import type { Gate } from "./permission/gate.ts";
import type { LentModel } from "./lent.ts";
import type { Answer, Question } from "./permission/questions.ts";
import type { Demonstrations } from "./flows/demonstrations.ts";
import type { HoverTracker } from "./observe/hover-session.ts";
import type { OverlayKeeper } from "./observe/overlay-session.ts";
import type { Watches } from "./observe/watch-session.ts";
import type { Recorder } from "./observe/recorder.ts";
import type { pursuitResult } from "./agent/run-agent.ts";
import type { AnswerForm } from "./answers.ts";
import type { Showing } from "./listing.ts";
import type { flowCheck, flowResult } from "./flows/flow-files.ts";
import type { stepsResult } from "./flows/run-steps.ts";
import type { Step } from "./steps.ts";
import type { AnyTool, ToolImage } from "./tool.ts";

/** One picture for a model. */
export interface Picture {
  readonly data: Uint8Array;
  readonly mimeType: string;
  readonly size: Size;
}

/** A goal that a call gives to the agent. */
export interface Pursuit {
  readonly goal: string;
  readonly model: "configured" | "client" | "rules" | undefined;
  readonly where: {
    readonly window?: string | undefined;
    readonly app?: string | undefined;
    readonly pid?: number | undefined;
    readonly surface?: string | undefined;
    readonly url?: string | undefined;
  };
  readonly limits: { readonly maxSteps?: number; readonly maxSeconds?: number };
  readonly background: boolean;
  readonly dryRun: boolean;
  /** The caller's own model, if it lends one. */
  readonly lent: LentModel | undefined;
  readonly ask: ((question: Question, signal: AbortSignal) => Promise<Answer>) | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: number, what: string) => void;
}

export type PursuitResult = z.output<typeof pursuitResult>;

/** What came of it, and the same without secrets that were typed, for records. */
export interface Pursued {
  readonly result: PursuitResult;
  readonly written: PursuitResult;
}

/** Steps that a call gives to the runner. */
export interface StepsRequest {
  readonly steps: readonly Step[];
  /** Where they act unless they say so. */
  readonly surface: string | undefined;
  /** How long a step waits for its target. */
  readonly timeoutMs: number;
  /** Whether an effect that cannot be verified ends the run. */
  readonly strict: boolean;
  readonly ask: ((question: Question, signal: AbortSignal) => Promise<Answer>) | undefined;
  readonly signal: AbortSignal;
  readonly onStep: (step: number, what: string) => void;
}

export interface StepsDone {
  readonly result: z.output<typeof stepsResult>;
  readonly images: readonly ToolImage[];
}

/** What a person is to be recorded doing. */
export interface DemonstrationRequest {
  readonly surfaces: readonly Surface[];
  /** What the flow is called. */
  readonly name: string;
  /** What was launched for it. */
  readonly launch: { readonly app: string; readonly args: readonly string[] } | undefined;
  readonly isPrivate: boolean;
  /** Whether this window may be looked at. */
  readonly permits: (window: WindowInfo) => boolean;
  readonly onStep: (step: number, what: string) => void;
  readonly signal: AbortSignal;
}

export interface Demonstration {
  /** Resolves when the person has asked for the end. */
  readonly stopped: Promise<void>;
  end(): Promise<Demonstrated>;
}

export interface Demonstrated {
  readonly steps: number;
  /** The flow as YAML; empty when nothing was done. */
  readonly text: string;
  /** Things done in windows that may not be looked at. */
  readonly leftOut: number;
}

/** What a run did, as a flow. */
export interface SavedFlow {
  readonly steps: number;
  /** The flow as YAML; empty when nothing is left. */
  readonly text: string;
  /** Calls that are no steps of it, and why. */
  readonly dropped: readonly { readonly step: string; readonly tool: string; readonly why: string }[];
}

/** A flow that a call wants played. */
export interface FlowRequest extends Pick<StepsRequest, "ask" | "signal"> {
  /** Throws if this file may not be read. */
  readonly needRead: (file: string) => Promise<unknown>;
  readonly file: string;
  readonly vars: Readonly<Record<string, string | number | boolean>>;
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly onStep: (what: string) => void;
}

export type FlowDone = z.input<typeof flowResult>;
export type FlowChecked = z.input<typeof flowCheck>;

/** A vision model, as tools see it that answer in words. */
export interface Describer {
  /** As configured, e.g. "anthropic:claude-opus-5-5". */
  readonly name: string;
  /** The largest picture it accepts without shrinking it. */
  readonly limits: { readonly maxSide: number; readonly maxPixels: number };
  describe(
    picture: Picture,
    question: string,
    signal: AbortSignal,
  ): Promise<{
    readonly text: string;
    readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens: number };
  }>;
}

/** What one handsight process shares between all its calls and front ends. Created by `app.ts`. */
export interface Session extends AsyncDisposable {
  /** The tools that can be called, in the order shown to a model. Fixed for the life of the process. */
  readonly tools: readonly AnyTool[];
  /** How the list shows each of them; default: whole. */
  readonly showing?: ((tool: AnyTool) => Showing) | undefined;
  /** The rules, and what has been permitted so far. */
  readonly gate: Gate;
  /** What must not be recorded or handed out in plain text. */
  readonly secrets: Secrets;
  /** How large a picture may be, and how long to look for an effect, unless the caller says otherwise. */
  readonly limits: {
    readonly maxSide: number;
    /** Nobody has set the size: it follows what vision models charge. */
    readonly isEconomic?: boolean | undefined;
    readonly maxImageBytes: number;
    readonly settleMs: number;
    /** Whether a screenshot includes the text in it; in passing: if reading it takes no longer than the picture took. */
    readonly includeOcr: boolean | "in passing";
  };
  /** The tools are those of `--tools devtools`, with the answers that its documents spell. */
  readonly isDevtools?: boolean | undefined;
  /** The form of an answer, unless the request says otherwise; default: text. */
  readonly answers?: AnswerForm | undefined;
  /** handsight created this desktop itself: it shows nobody else's windows. */
  readonly isPrivateDesktop?: boolean | undefined;
  /** The operating system of the desktop: "linux", "mac", "windows", … */
  readonly system?: string | undefined;
  /** Ports that no page of this session may reach. */
  readonly privatePorts?: PrivatePorts | undefined;
  readonly lock: Lock;
  /** One action at a time on each surface, across all processes of this user. */
  readonly turns?: ((surface: string) => Turns) | undefined;
  readonly journal: Journal;
  readonly log: Log;
  /** Images loaded by load_image. */
  readonly images: ImageStore;
  /** Files that tools have written. */
  readonly written: WrittenFiles;
  /** Starts its threads with the first search. */
  readonly finder: ImageFinder;
  /** The session's recording, if there is one. */
  readonly recorder: Recorder;
  /** The session's hover tracking, if there is one. */
  readonly hover: HoverTracker;
  /** What the session draws on the screen, if it does. */
  readonly overlay: OverlayKeeper;
  /** The session's demonstration, if one is being recorded. */
  readonly demonstrations: Demonstrations;
  /** What the session watches. */
  readonly watches: Watches;
  /** Opens the surface on first use. */
  surface(id: string): Promise<Surface>;
  /** The browsers of this session. Connects to none by itself. */
  browsers?(): Promise<GuardedBrowsers>;
  /** The Android devices of this session. Connects to none by itself. */
  devices?(): Promise<Devices>;
  /** The configured model, opened on first use; undefined when none is configured, or it cannot see. */
  describer?(): Promise<Describer | undefined>;
  /** Lets the agent pursue a goal through this session's own tools. */
  pursue?(request: Pursuit): Promise<Pursued>;
  /** Does steps through this session's own tools. */
  runSteps?(request: StepsRequest): Promise<StepsDone>;
  /** What was done in this session so far, as a flow of this name. */
  saveFlow?(name: string): Promise<SavedFlow>;
  /** Records what a person does. */
  demonstrate?(request: DemonstrationRequest): Promise<Demonstration>;

  /** Plays a flow through this session's own tools. */
  runFlow?(request: FlowRequest): Promise<FlowDone>;
  /** Says what is wrong with a flow that is given these variables. */
  checkFlow?(file: string, vars: readonly string[], needRead: FlowRequest["needRead"]): Promise<FlowChecked>;
  /** Surfaces opened so far. */
  openSurfaces(): readonly Surface[];
  /** The full picture behind a frame id, encoded; undefined when it is unknown or no longer kept. */
  readFrame?(id: string): Promise<{ readonly bytes: Uint8Array; readonly mimeType: string } | undefined>;
}
