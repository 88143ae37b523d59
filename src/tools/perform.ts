import { isDeepStrictEqual } from "node:util";
import type { UiNode } from "../base/node.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { Acted, Action, Located } from "../surface/engine/action.ts";
import type { Surface } from "../surface/surface.ts";
import { movedOn } from "./permission/about.ts";
import type { About } from "./permission/gate.ts";
import type { Session } from "./session.ts";
import type { ToolContext } from "./tool.ts";

export interface PermittedCall {
  readonly session: Session;
  readonly surface: () => Promise<Surface>;
  /** What the decision covers; undefined when no decision was needed. */
  readonly about: About | undefined;
  readonly tool: string;
  /** What the tool does, in words for a person. */
  readonly title: string;
  /** Told what every action of the call came to. */
  readonly note: (acted: Acted) => void;
}

/**
 * How a call acts: in its turn it locates its targets again, and continues only if they are covered by the decision.
 * A person may have taken minutes to answer, and windows come and go.
 */
export function performer(call: PermittedCall): ToolContext["perform"] {
  const { session, about } = call;
  return async (action: Action, { settleMs, signal, on }) => {
    const surface = on ?? (await call.surface());
    const located = justLocated(action, about) ?? (await surface.locate(action, signal));
    const options = { settleMs: settleMs ?? session.limits.settleMs, signal };
    const only = about?.windows && (await needDecided(surface, located, about, call, signal));
    const tell = session.overlay.acting(surface, located, session.secrets.conceal(wordsFor(call.title, located)));
    try {
      const acted = await surface.perform(located, { ...options, only });
      call.note(acted);
      tell(acted);
      return acted;
    } catch (error) {
      tell(undefined);
      throw error;
    }
  };
}

const longestName = 40;

/** What is about to be done, in one line; never the text that is entered. */
function wordsFor(title: string, { place, command }: Located): string {
  const name = (command?.command.path.join(" → ") ?? place?.node?.name ?? place?.window?.title ?? "").trim();
  const short = name.length > longestName ? `${name.slice(0, longestName)}…` : name;
  return short === "" ? title : `${title}: ${short}`;
}

// Nobody can have been asked in less time. Finding an element again takes longer than the rest of some calls.
const freshMs = 100;

/** What was located for the decision, if that was just now. */
function justLocated(action: Action, about: About | undefined): Located | undefined {
  if (!about?.located || about.isPermitted) return undefined;
  const { at, action: located } = about.located;
  const isFresh = performance.now() - at < freshMs;
  return isFresh && isDeepStrictEqual(located.action, action) ? located : undefined;
}

async function needDecided(
  surface: Surface,
  located: Located,
  about: About,
  { session: { gate }, tool }: PermittedCall,
  signal: AbortSignal,
): Promise<readonly WindowInfo[]> {
  const { windows: decided = [], isPermitted = false } = about;
  const isKnown = ({ id }: WindowInfo): boolean => decided.some((window) => window.id === id);
  const isUnchanged = (now: WindowInfo): boolean => decided.some((window) => isSameWindow(window, now));
  // A window may have a new title by now, and with it another rule.
  const mayTouch = (window: WindowInfo): boolean => {
    if (isUnchanged(window)) return true;
    const verdict = gate.verdictOn(about, window);
    return verdict === "allow" || (verdict === "ask" && isPermitted && isKnown(window));
  };
  const look = () => surface.touchedBy(located, signal);
  let now = await look();
  const [first] = decided;
  // Answering in another window moves the focus there, so give it back to the window that the question was about.
  if (isPermitted && first && !now.every(isKnown) && isForFocus(located)) {
    await surface.ensureFocus(first, signal);
    now = await look();
  }
  const isSame = !isPermitted || isSameElement(about.located?.action.place?.node, located.place?.node);
  if (isSame && now.every(mayTouch)) return now;
  throw movedOn(tool);
}

/** The call names no window: it means the one that has the keyboard focus. */
const isForFocus = ({ action, place }: Located): boolean => !place && (action.do === "press" || action.do === "type");

const isSameWindow = (a: WindowInfo, b: WindowInfo): boolean =>
  a.id === b.id && a.title === b.title && a.appName === b.appName && a.address === b.address && a.pid === b.pid;

/** The same element as far as the person who was asked can tell. */
const isSameElement = (asked: UiNode | undefined, now: UiNode | undefined): boolean =>
  asked === undefined || (asked.role === now?.role && asked.name === now.name);
