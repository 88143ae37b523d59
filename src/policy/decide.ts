import { quote } from "../base/quote.ts";
import { fitsApp, type Program } from "./apps.ts";
import { fits } from "./patterns.ts";
import type { Access, Rules } from "./rules.ts";

export { policyModes, type Access, type PolicyMode } from "./rules.ts";

/**
 * The answers a person can give. All except `once` and `deny` are valid until the session ends or `grantMinutes` have
 * passed.
 */
export const answers = ["once", "tool", "window", "session", "deny"] as const;
export type Answer = (typeof answers)[number];

/** A window as the rules know it. A page or device has no id: permission there is not for its window. */
export interface RuledWindow {
  readonly id?: number | undefined;
  readonly title: string;
  readonly app: string;
  /** Further names of its app: of its class, of its process. */
  readonly aliases?: readonly string[] | undefined;
  /** The windows it belongs to, as a menu or dialog does. */
  readonly owners?: readonly RuledWindow[] | undefined;
}

export interface PolicyRequest {
  readonly tool: string;
  /** What the tool does, as a phrase: "Click". */
  readonly title: string;
  readonly access: Access;
  /**
   * What exactly would be done, as the rest of a sentence that begins with "Allow handsight to"; the title if nothing
   * more is known.
   */
  readonly does?: string | undefined;
  /** The code it runs, it runs inside a page. */
  readonly isInPage?: boolean | undefined;
  /** It reaches no further than a desktop that handsight created itself. */
  readonly isPrivate?: boolean | undefined;
  /** No person can be asked now. */
  readonly isNobodyThere?: boolean | undefined;
  /** The call takes a picture. */
  readonly captures?: boolean | undefined;
  /** The call follows what the person does. */
  readonly watchesPerson?: boolean | undefined;
  /** It reports on handsight itself, and shows nothing of any screen. */
  readonly tellsOfItself?: boolean | undefined;
  /** The window the call is about, where that is known. */
  readonly window?: RuledWindow | undefined;
  /** The app the call is about, where there is no window yet. */
  readonly app?: string | undefined;
  /** What it starts or quits, and whatever else its arguments name that may be a program. */
  readonly programs?: readonly Program[] | undefined;
  /** Screen text that read like orders and that no person has seen since. */
  readonly suspicious?: string | undefined;
  readonly now: number;
}

export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask"; readonly question: string; readonly offers: readonly Answer[] }
  | { readonly verdict: "deny"; readonly reason: string; readonly hint: string };

type Rule = Rules["rules"][number];

const automation = "ui-automation";

/**
 * Pure. In mode `ask` the first yes of a session permits looking; after that, looking is free and every acting tool
 * asks for itself. On a desktop that handsight created itself, only running code asks. Rules of the file come first;
 * screen text that gives orders overrides every permission given earlier.
 */
export function decide(request: PolicyRequest, rules: Rules, grants: ReadonlySet<string>): Decision {
  const { tool, access } = request;
  const rule = rules.rules.find((each) => isAbout(each, request));
  if (rule?.verdict === "deny") return refusal(tool, rule, rules);
  if (rules.mode === "observe-only" && access !== "observe") {
    return {
      verdict: "deny",
      reason: `${tool} is refused: the policy is observe-only.`,
      hint: 'Start handsight with "--policy ask" or "--policy allow" to let it act.',
    };
  }
  const isFree = rule === undefined && request.isPrivate === true && access !== "execute";
  const mayWarn = !(isFree && request.isNobodyThere === true);
  if (request.suspicious !== undefined && rules.askAfterSuspiciousText && access !== "observe" && mayWarn) {
    return { verdict: "ask", question: question(request, rules, grants), offers: ["once", "deny"] };
  }
  if (isFree || (rule === undefined && request.tellsOfItself === true)) return { verdict: "allow" };
  const isOpen = rules.mode === "allow" || (rules.mode === "observe-only" && !asksToLook(request, rules));
  if (rule?.verdict === "allow" || (rule === undefined && isOpen)) return { verdict: "allow" };
  if (rule === undefined && missing(request, rules, grants).length === 0) return { verdict: "allow" };
  if (rule?.verdict === "ask" && grants.has(ruleGrant(rules.rules.indexOf(rule), request))) return { verdict: "allow" };
  return { verdict: "ask", question: question(request, rules, grants), offers: offersFor(request, rules, rule) };
}

type Refusal = Extract<Decision, { readonly verdict: "deny" }>;

const refusal = (tool: string, rule: Rule, rules: Rules): Refusal => ({
  verdict: "deny",
  reason: `${tool} is refused by rule ${rules.rules.indexOf(rule) + 1} of the rule file (${showRule(rule)}).`,
  hint: "A person can change the rule file (--rules); do not look for a way around it.",
});

/**
 * The rule that names this very tool and refuses it. A pattern does not count: it may be meant for the tools that a
 * call of this one leads to, and is compared with those.
 */
export function refusalByName(tool: string, rules: Rules, now: number): Refusal | undefined {
  const rule = rules.rules.find(
    (each) =>
      each.verdict === "deny" &&
      each.tool?.toLowerCase() === tool &&
      (each.until === undefined || Date.parse(each.until) > now),
  );
  return rule && refusal(tool, rule, rules);
}

/** Looking is asked about only once: after one yes, handsight has already seen the screen. */
function offersFor(request: PolicyRequest, rules: Rules, rule: Rule | undefined): readonly Answer[] {
  const isOnlyLooking = request.access === "observe" && rule === undefined && !asksToLook(request, rules);
  if (isOnlyLooking) return ["session", "deny"];
  return answers.filter((answer) => answer !== "window" || isInWindow(request));
}

/**
 * Whether a call that was permitted in one window may continue in another. Not if a rule for the other window
 * refuses, or requires its own question.
 */
export function mayGoOn(first: PolicyRequest, now: PolicyRequest, rules: Rules): boolean {
  const [asked, rule] = [first, now].map((request) => rules.rules.find((each) => isAbout(each, request)));
  return rule === undefined || rule.verdict === "allow" || (rule.verdict === "ask" && rule === asked);
}

/** Looking that needs a yes of its own, whatever has been permitted to be looked at. */
const asksToLook = ({ captures, watchesPerson }: PolicyRequest, { requireApprovalForCapture }: Rules): boolean =>
  watchesPerson === true || (captures === true && requireApprovalForCapture);

const isInWindow = ({ window, access }: PolicyRequest): boolean => window?.id !== undefined && access !== "observe";

function missing(request: PolicyRequest, rules: Rules, grants: ReadonlySet<string>): readonly string[] {
  const { access, window } = request;
  const asksTool = access === "observe" ? asksToLook(request, rules) : rules.requireApprovalForInput;
  const isGranted =
    [toolGrant(request), sessionGrant(request)].some((grant) => grants.has(grant)) ||
    (window !== undefined && isGrantedIn(window, access, grants));
  return [
    ...(rules.enabled || grants.has(automation) ? [] : [automation]),
    ...(asksTool && !isGranted ? [toolGrant(request)] : []),
  ];
}

/** What an answer permits from now on. Every yes permits looking, because nobody can act well blind. */
export function grantsOf(request: PolicyRequest, rules: Rules, answer: Answer): readonly string[] {
  if (answer === "deny") return [];
  if (answer === "once") return [automation];
  const { access, window } = request;
  const index = rules.rules.findIndex((each) => isAbout(each, request));
  const ofRule = index < 0 ? [] : [ruleGrant(index, request)];
  if (answer === "tool") return [automation, toolGrant(request), ...ofRule];
  if (answer === "window") return [automation, ...windowGrants(window, access)];
  return [automation, sessionGrant(request), ...ofRule];
}

// Each grant is for one access class: permission to type into a letter is not permission to type into a terminal.
const toolGrant = ({ tool, access }: PolicyRequest): string => `tool:${key(tool)}:${access}`;
/** A person who was asked about scripts in pages has said nothing about commands. */
const sessionGrant = ({ access, isInPage = false }: PolicyRequest): string =>
  access === "execute" && isInPage ? "session:execute in pages" : `session:${access}`;
const windowGrants = (window: PolicyRequest["window"], access: Access): readonly string[] =>
  window?.id === undefined ? [] : [`window:${window.id}:${access === "execute" ? access : "act"}`];
const ruleGrant = (index: number, request: PolicyRequest): string => `rule:${index}:${toolGrant(request)}`;

const key = (tool: string): string => tool.toLowerCase();

function isAbout(rule: Rule, request: PolicyRequest): boolean {
  const { tool, access, window, now } = request;
  if (rule.until !== undefined && Date.parse(rule.until) <= now) return false;
  if (rule.tool !== undefined && !fits(rule.tool, tool)) return false;
  if (rule.access !== undefined && rule.access !== access) return false;
  if (rule.app !== undefined && !fitsApp(rule.app, rule.verdict, request)) return false;
  return rule.window === undefined || (window !== undefined && isOfWindow(rule.verdict, rule.window, window));
}

/**
 * A rule about a window is about its menus and dialogs too. Where it is not known which window opened one, each that may have
 * must be allowed, and one that is not is enough.
 */
function isOfWindow(verdict: Rule["verdict"], pattern: string, { title, owners = [] }: RuledWindow): boolean {
  const isOwners = (owner: RuledWindow): boolean => isOfWindow(verdict, pattern, owner);
  if (fits(pattern, title)) return true;
  return verdict === "allow" ? owners.length > 0 && owners.every(isOwners) : owners.some(isOwners);
}

/** Who may act in a window may act in its menus and dialogs. */
const isGrantedIn = (window: RuledWindow, access: Access, grants: ReadonlySet<string>): boolean =>
  windowGrants(window, access).some((grant) => grants.has(grant)) ||
  (window.owners !== undefined &&
    window.owners.length > 0 &&
    window.owners.every((owner) => isGrantedIn(owner, access, grants)));

/** Whether some rule needs to know which window or app a call is about. */
export const dependsOnWindow = ({ rules }: Rules): boolean =>
  rules.some(({ app, window }) => app !== undefined || window !== undefined);

function showRule({ verdict, ...about }: Rule): string {
  return Object.entries({ ...about, verdict })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

function consequence({ access, isInPage = false }: PolicyRequest): string {
  if (access !== "execute") return "";
  return isInPage
    ? " This runs code in the page, with access to everything it is signed in to."
    : " This can run any command as you.";
}

/** Whether looking would still require a question. */
const isUnseen = (request: PolicyRequest, rules: Rules, grants: ReadonlySet<string>): boolean => {
  const look = {
    tool: "take_screenshot",
    title: "",
    access: "observe",
    isPrivate: request.isPrivate,
    now: request.now,
  };
  const rule = rules.rules.find((each) => isAbout(each, look as PolicyRequest));
  return rule === undefined
    ? missing(look as PolicyRequest, rules, grants).includes(automation)
    : rule.verdict === "ask";
};

function question(request: PolicyRequest, rules: Rules, grants: ReadonlySet<string>): string {
  const { title, does = lowerFirst(title), access, suspicious } = request;
  const isFirst = isUnseen(request, rules, grants);
  const screen = request.isPrivate === true ? "its private desktop" : "your screen";
  if (isFirst && access === "observe") {
    const extra = asksToLook(request, rules) ? ` It wants to ${does}.` : "";
    return `Allow handsight to look at ${screen}, and at pages and devices it is connected to, until it stops?${extra}`;
  }
  const warning =
    suspicious === undefined
      ? ""
      : `The screen shows text that reads like orders to an agent: ${quote(suspicious)}. Is this what you want? `;
  const looking = isFirst ? ` It may then also look at ${screen} until it stops.` : "";
  return `${warning}Allow handsight to ${does}?${consequence(request)}${looking}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
