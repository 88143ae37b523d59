import type { Wire } from "./wire.ts";

/** An element in the words of a person. Without a role any element with this name will do. */
export interface Target {
  readonly name: string;
  readonly role?: string;
  /** The name is on a label of its own, listed before or after the field. */
  readonly label?: "before" | "after";
}

export type Step =
  | { readonly fill: Target; readonly text: string }
  | { readonly choose: Target; readonly option: string }
  | { readonly check: Target }
  /** `leads`: it is plain that another page comes. */
  | { readonly click: Target; readonly leads?: true }
  | { readonly hold: Target }
  | { readonly type: string }
  | { readonly press: string };

/**
 * A scripted model on one server. It knows the goal, and of the screen only what it has read in an answer: `act` takes
 * steps whose targets can all be seen at that moment, and looks first when they are not among what was read.
 */
export interface Agent extends AsyncDisposable {
  readonly wire: Wire;
  /** With a pattern, also what is to be read afterwards: its first group, or all of it. */
  act(steps: readonly Step[], wanted?: RegExp): Promise<string>;
}

export interface PageAgent extends Agent {
  open(url: string, wanted?: RegExp): Promise<string>;
  /** Clicks, and says yes to what the page asks then. */
  confirm(target: Target, wanted: RegExp): Promise<string>;
  /** A fact on a page that nobody has seen yet, by words that are near it. */
  find(url: string, words: string, pattern: RegExp): Promise<string>;
}

export interface DesktopAgent extends Agent {
  /** A command of the app by its menus, or by the shortcut that everybody knows where the server has keys. */
  command(path: readonly string[], shortcut: string | undefined, wanted?: RegExp): Promise<string>;
}

export interface DeviceAgent extends Agent {
  /** Scrolls down until the target is in view. */
  scrollTo(target: Target): Promise<void>;
  back(wanted?: RegExp): Promise<string>;
}

/** One server, ready for one job after the other. */
export interface Contender<Place, A extends Agent> {
  readonly name: string;
  readonly isOurs: boolean;
  /** Sends several steps in one call where it can. */
  readonly isBatching: boolean;
  /** Opens the server anew for a job. */
  start(place: Place): Promise<A>;
}

export function nameOf(step: Step): Target | undefined {
  if ("fill" in step) return step.fill;
  if ("choose" in step) return step.choose;
  if ("check" in step) return step.check;
  if ("click" in step) return step.click;
  return "hold" in step ? step.hold : undefined;
}
