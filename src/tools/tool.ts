import { z } from "zod";
import type { Access } from "../policy/decide.ts";
import type { FileUse } from "../policy/files.ts";
import type { Ability } from "../platform/backend.ts";
import type { Acted, Action } from "../surface/engine/action.ts";
import type { Surface } from "../surface/surface.ts";
import { followFields } from "./expect/field.ts";
import type { LentModel } from "./lent.ts";
import type { Answer, Question } from "./permission/questions.ts";
import type { Describer, Session } from "./session.ts";

export const toolSets = [
  "desktop",
  "vision",
  "observe",
  "browser",
  "android",
  "flows",
  "commands",
  "agent",
  "meta",
  "compat-ui",
  "compat-debug",
] as const;
export type ToolSet = (typeof toolSets)[number];

/** Other vocabularies for the same operations; offered only on request. */
export const compatSets: readonly ToolSet[] = ["compat-ui", "compat-debug"];

/** An encoded picture for the caller. The front end that needs base64 encodes it. */
export interface ToolImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Set when the full frame can be fetched as a resource. */
  readonly frameId?: string;
}

export interface ToolResult<Data> {
  readonly data: Data;
  readonly images?: readonly ToolImage[];
  /** A whole element tree, kept beside the journal and served as a resource; the data may contain only part of it. */
  readonly tree?: unknown;
  /**
   * The data itself reports a failure, as another contract defines it; the journal and the exit code count it as one.
   */
  readonly failed?: boolean;
  /** What the journal keeps instead of the data, where the data repeats a secret. */
  readonly record?: unknown;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** Signals that outlive a call. */
export interface Lasting {
  /** Aborts at the emergency stop. */
  readonly stopping?: AbortSignal | undefined;
  /** Aborts when the caller's connection has ended. */
  readonly connection?: AbortSignal | undefined;
}

/** A program that a call starts; undefined when handsight chooses it. */
export interface Launch {
  readonly program: string | undefined;
  readonly args: readonly string[];
  readonly isBrowser?: boolean;
  /** When it runs already, its window is brought to the front instead. */
  readonly reuses?: boolean;
}

/** A running app, by its name or path, or by its process. */
export interface AppName {
  readonly name?: string | undefined;
  readonly pid?: number | undefined;
}

/** The end of a connection that a call opens. */
export interface Peer {
  readonly host: string;
  readonly port: number;
}

export interface Performing {
  /** The signal from the tool's context. During an emergency stop it differs from the call's signal. */
  readonly signal: AbortSignal;
  /** Default: the session's limit. */
  readonly settleMs: number | undefined;
  /** Act on this surface instead of the call's own. */
  readonly on?: Surface;
}

export interface ToolContext {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Journal step of this call. */
  readonly stepId: string;
  /** Opens the surface on first use. A tool without `needs` need not call it. */
  readonly surface: () => Promise<Surface>;
  /** Performs one action, provided that the decision covers what it touches, and reports the effect. */
  readonly perform: (action: Action, options: Performing) => Promise<Acted>;
  readonly progress: (progress: Progress) => void;
  /** The configured model, or the caller's own; undefined when there is neither. */
  readonly describer: () => Promise<Describer | undefined>;
  /** The caller's own model, if it lends one. */
  readonly lent: LentModel | undefined;
  /** Ends whatever a call leaves running. Missing: nobody can stop it, or it is unknown when the caller is gone. */
  readonly lasting?: Lasting;
  /** Asks a person during the call, if the front end can. */
  readonly ask: ((question: Question, signal: AbortSignal) => Promise<Answer>) | undefined;
}

/** A tool is one value. MCP, the command line, the docs, the policy and the agent derive from it. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Name extends string = string,
> {
  readonly name: Name;
  /** A shorter name on the command line. */
  readonly command?: string;
  readonly title: string;
  /** What it does and when to use it, for the model. */
  readonly summary: string;
  readonly set: ToolSet;
  readonly access: Access;
  /** The flag of its input that makes an observing tool act; such a call has the class `act`. */
  readonly actsWith?: string;
  /** Calling it twice has the same effect as calling it once. For acting tools only; observing tools always are. */
  readonly idempotent?: boolean;
  /** Members of the backend that it requires. */
  readonly needs: readonly Ability[];
  readonly input: Input;
  readonly output: Output;
  /** Input fields the command line takes without a flag, in order. */
  readonly positional: readonly (keyof z.infer<Input> & string)[];
  /** It calls other tools, each of which takes its own turn; holding one meanwhile would deadlock. */
  readonly callsTools?: boolean;
  /**
   * What it starts continues after the call until this tool is called. The emergency stop ends it, and refuses new
   * ones.
   */
  readonly endedBy?: string;
  /** What it acts on is gone afterwards. */
  readonly closes?: true;
  /** Whether a call with this input takes its page elsewhere, which is also possible for a page that nobody may see. */
  goesAway?(input: z.infer<Input>): boolean;
  /**
   * Its result shows pixels of the screen, or text read from them; counts against the limit of captures per minute.
   */
  readonly captures?: boolean;
  /** It follows what the person does with the pointer: on their own desktop that needs a yes of its own. */
  readonly watchesPerson?: boolean;
  /** Input fields that name a file; the rules say where it may be. */
  readonly files?: Readonly<Record<string, FileUse>>;
  /** The program that a call with this input starts; anything but an installed app counts as running code. */
  launches?(input: z.infer<Input>): Launch;
  /** The running app that a call with this input ends. */
  quits?(input: z.infer<Input>): AppName;
  /** Where a call with this input connects to; the rules for addresses count. */
  connects?(input: z.infer<Input>): Peer | undefined;
  /** Input fields that hold the address of a page. */
  readonly urls?: readonly string[];
  /** Input fields that name an Android package. */
  readonly packages?: readonly string[];
  /** Nothing in the result comes from a screen. */
  readonly isTrusted?: boolean;
  /** Fields of the input or output that no record ever shows, such as pictures and the clipboard. */
  readonly secret?: readonly string[];
  /** Input fields that hold text to enter. Records show it only where the field it went into was seen to show it. */
  readonly enters?: readonly string[];
  /** The field of the input that names keys. A key that writes a character is entered text. */
  readonly keys?: string;
  /** Whether these keys write a character, where they are not named as on a keyboard. */
  readonly writes?: (keys: string | readonly string[], modifiers: unknown) => boolean;
  /** Throws `invalid_argument` for what the schema lets pass, such as two targets, before anybody is asked or waits. */
  check?(input: z.infer<Input>): void;
  /** The action that a call with this input describes; the policy decides about what it touches. */
  acts?(input: z.infer<Input>, context: Locating): Action | undefined | Promise<Action | undefined>;
  /** What a call without an action looks at, as the common input fields would say it, if they do not. */
  looksAt?(input: z.infer<Input>, session: Session): Readonly<Record<string, unknown>>;
  run(input: z.infer<Input>, context: ToolContext): Promise<ToolResult<z.input<Output>>>;
}

/** What is available while the targets of a call are located; nothing has been done yet. */
export type Locating = Pick<ToolContext, "session" | "signal" | "surface">;

/** Any tool, its own types erased, as the registry and the front ends see it. */
export interface AnyTool extends Omit<
  Tool,
  "positional" | "check" | "run" | "launches" | "quits" | "connects" | "goesAway" | "acts" | "looksAt"
> {
  readonly positional: readonly string[];
  check?(input: never): void;
  launches?(input: never): Launch;
  quits?(input: never): AppName;
  connects?(input: never): Peer | undefined;
  goesAway?(input: never): boolean;
  acts?(input: never, context: Locating): Action | undefined | Promise<Action | undefined>;
  looksAt?(input: never, session: Session): Readonly<Record<string, unknown>>;
  run(input: never, context: ToolContext): Promise<ToolResult<Record<string, unknown>>>;
}

export const surfaceField = z.string().max(60).optional().describe("page:1, android:SERIAL; else the desktop");
const onAnySurface = ["elements", "pointer", "keyboard", "screen"] as const satisfies readonly Ability[];
const surfaceSets = ["desktop", "vision"] as const satisfies readonly ToolSet[];

type WithFields<Input extends z.ZodObject, Fields extends z.ZodRawShape> =
  Input extends z.ZodObject<infer Shape, infer Config> ? z.ZodObject<Shape & Fields, Config> : never;

/** The input with the field that selects a surface. */
export type WithSurface<Input extends z.ZodObject> = WithFields<Input, { surface: typeof surfaceField }>;

/** The input with what is said about the time after an action. */
type WithFollow<Input extends z.ZodObject> = WithFields<Input, typeof followFields>;

/** The input of a defined tool: with a surface if it looks and acts on any. */
type Defined<
  Input extends z.ZodObject,
  Set extends ToolSet,
  Need extends Ability,
> = Set extends (typeof surfaceSets)[number]
  ? Extract<Need, (typeof onAnySurface)[number]> extends never
    ? Input
    : WithSurface<Input>
  : Input;

/** With what is said about the time after an action, if it reports an effect. */
export type Followed<Input extends z.ZodObject, Output extends z.ZodObject> = Output extends {
  shape: { effect: unknown };
}
  ? WithFollow<Input>
  : Input;

/** Tools that report an effect also wait for what their caller expects of it, and show what is there then. */
export const isFollowed = ({ access, set, output }: Pick<AnyTool, "access" | "set" | "output">): boolean =>
  access !== "observe" && "effect" in output.shape && !compatSets.includes(set);

/** The tool as a call with this input uses it. */
export const forInput = <T extends AnyTool>(tool: T, input: unknown): T =>
  tool.actsWith !== undefined && ((input ?? {}) as Readonly<Record<string, unknown>>)[tool.actsWith] === true
    ? { ...tool, access: "act" }
    : tool;

/** Tools that look and act work on any surface. This adds the input fields that they share. */
export function defineTool<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Name extends string,
  Set extends ToolSet = ToolSet,
  Need extends Ability = never,
>(
  tool: Tool<Input, Output, Name> & { readonly set: Set; readonly needs: readonly Need[] },
): Tool<Followed<Defined<Input, Set, Need>, Output>, Output, Name> {
  const has = (all: readonly string[], one: string): boolean => all.includes(one);
  const isGeneral = has(surfaceSets, tool.set) && tool.needs.some((ability) => has(onAnySurface, ability));
  const shared = {
    ...(isGeneral && !("surface" in tool.input.shape) ? { surface: surfaceField } : {}),
    ...(isFollowed(tool) ? followFields : {}),
  };
  const defined = Object.keys(shared).length === 0 ? tool : { ...tool, input: tool.input.extend(shared) };
  return defined as unknown as Tool<Followed<Defined<Input, Set, Need>, Output>, Output, Name>;
}

/** The surface a call is meant for. */
export function surfaceOf(input: unknown): string {
  const { surface } = (input ?? {}) as { readonly surface?: unknown };
  return typeof surface === "string" ? surface : "desktop";
}

const screenSets: readonly ToolSet[] = ["vision", "observe", "browser", "android", "flows", "agent"];

/** Whether results contain text that somebody else wrote: on a screen, in a page. */
export const readsScreen = ({ isTrusted, needs, set }: AnyTool): boolean =>
  isTrusted !== true && (needs.length > 0 || screenSets.includes(set));
