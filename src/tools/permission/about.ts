import { ToolError } from "../../base/errors.ts";
import { dependsOnWindow } from "../../policy/decide.ts";
import { needSwitch } from "../../policy/browser-switches.ts";
import { needFile } from "../../policy/files.ts";
import { needHost } from "../../policy/hosts.ts";
import { needPackage, needUrl } from "../../policy/urls.ts";
import type { Browsers } from "../../platform/browser.ts";
import { accessOf } from "./access.ts";
import { programsOf, runningOf } from "./programs.ts";
import { noticeDevTools } from "../../surface/guard/devtools-port.ts";
import { named, type About } from "./gate.ts";
import { findLookedAt } from "./looked-at.ts";
import { describeCall, type Touched } from "./question-words.ts";
import type { QuestionPicture } from "./questions.ts";
import type { Session } from "../session.ts";
import { compatSets, surfaceOf, type AnyTool, type Launch } from "../tool.ts";
import { isOfPage, whichSurface } from "../which-surface.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * Throws `denied` when a file, page or package that the call names is off limits; returns the input with real paths.
 */
export async function needReach(tool: AnyTool, input: Input, session: Session): Promise<Input> {
  const { rules } = session.gate;
  const { privatePorts: ports } = session;
  const texts = (field: string): string[] => [input[field]].flat().filter((value) => typeof value === "string");
  // The compatibility sets report a refusal in their own format.
  const files = compatSets.includes(tool.set) ? {} : (tool.files ?? {});
  const real: Record<string, unknown> = {};
  for (const [field, use] of Object.entries(files)) {
    const paths = await Promise.all(texts(field).map((path) => needFile(path, use, rules.files[use])));
    if (paths.length > 0) real[field] = Array.isArray(input[field]) ? paths : paths[0];
  }
  const reach = { ...rules, ports };
  const launch = tool.launches?.(input as never);
  const pages = launch && !launch.isBrowser ? launch.args.filter(isPage) : [];
  for (const url of [...(tool.urls ?? []).flatMap(texts), ...pages]) {
    // Before anything is sent there, and once more when it is known what answers.
    needUrl(url, reach);
    if (ports) await noticeDevTools(url, ports);
    needUrl(url, reach);
  }
  if (launch?.isBrowser) for (const argument of launch.args) await needSwitch(argument, reach);
  const peer = tool.connects?.(input as never);
  const host = peer && { host: needHost(peer, rules) };
  for (const field of tool.packages ?? []) for (const name of texts(field)) needPackage(name, rules);
  return { ...input, ...real, ...host };
}

/** What a browser among the apps would take for a page of the web. */
const isPage = (word: string): boolean => URL.canParse(word) && /^https?:$/.test(new URL(word).protocol);

/** What a call is about, as far as the rules or a question need it. */
export async function aboutCall(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<About> {
  const { name, title, access, captures, watchesPerson } = tool;
  const { rules } = session.gate;
  const tellsOfItself = tool.set === "meta" && access === "observe";
  const app = text(input["app_name"]);
  const about = { tool: name, title, access, captures, watchesPerson, tellsOfItself, app };
  const mayAsk = rules.mode !== "allow" || rules.rules.length > 0;
  if (!mayAsk || tellsOfItself) return about;
  const isPrivate = await isOnPrivateDesktop(tool, input, session);
  const started = tool.launches && (await programsOf(tool.launches(input as never), session, signal));
  const touched = await findTouched(tool, input, session, signal);
  const { windows, page, device, located, isOnDesktop = false, programs = started?.programs } = touched;
  const [window] = windows ?? [];
  return {
    ...about,
    isPrivate,
    isInPage: page !== undefined,
    subject: [page?.id, device, ...(windows ?? []).map(({ id }) => id), ...(started?.files ?? [])].join("/"),
    windows,
    isOnDesktop,
    located,
    programs,
    access: accessOf(tool, windows ?? [], started),
    does: session.secrets.conceal(describeCall(tool, input, touched)),
    window: window && named(window, isOnDesktop),
    picture: () => photographTouched(session, surfaceOf(input), touched, signal),
  };
}

export interface Recheck {
  readonly tool: AnyTool;
  readonly input: Input;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** What a person permitted, if the call would still do the same: they may have taken minutes to answer. */
export async function needSame(permitted: About, { tool, input, session, signal }: Recheck): Promise<About> {
  const now = await aboutCall(tool, input, session, signal);
  if (now.access === permitted.access && now.subject === permitted.subject) return now;
  throw movedOn(tool.name);
}

/** The call would no longer do what was permitted. */
export const movedOn = (tool: string): ToolError =>
  new ToolError("denied", `${tool} was permitted, but would now act on something else; nothing was done.`, {
    hint: "Name the target in the call (window_id, uid, or surface for a page), and call again.",
  });

/** Whether the call reaches no further than our own desktop and pages of browsers that we started there. */
async function isOnPrivateDesktop(tool: AnyTool, input: Input, session: Session): Promise<boolean> {
  // The first call of that set always asks: its users were promised that.
  if (session.isPrivateDesktop !== true || tool.set === "compat-ui" || tool.set === "android") return false;
  const surface = surfaceOf(input);
  if (surface.startsWith("android:") || tool.name === "cdp_connect") return false;
  // The profile of the person's own browser would give access to everything they are signed in to.
  if (input["profile"] !== undefined) return false;
  if (tool.set !== "browser" && !surface.startsWith("page:")) return true;
  const browsers = await session.browsers?.();
  return pageOf(tool, input, browsers)?.isOurs ?? browsers?.areOurs() ?? false;
}

function pageOf({ set, input: { shape } }: AnyTool, input: Input, browsers: Browsers | undefined) {
  const surface = surfaceOf(input);
  const isPage = surface.startsWith("page:") || (set === "browser" && ("uid" in shape || "surface" in shape));
  if (!isPage) return undefined;
  const ref = set === "browser" ? text(input["uid"]) : undefined;
  return browsers?.known({ ref, id: surface === "desktop" ? undefined : surface });
}

type Found = Touched & Pick<About, "located" | "isOnDesktop" | "programs">;

async function findTouched(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<Found> {
  const surface = surfaceOf(input);
  const found = tool.acts
    ? await locateCall(tool, input, session, signal)
    : await lookedAtBy(tool, input, session, signal);
  if (surface.startsWith("page:") || tool.set === "browser") {
    return { ...found, page: pageOf(tool, input, await session.browsers?.()) };
  }
  if (surface.startsWith("android:")) return { ...found, device: surface.slice("android:".length) };
  if (tool.set === "android") return { ...found, device: text(input["serial"]) };
  return found;
}

/** What a call without an action is about, if a rule or a question depends on it. */
async function lookedAtBy(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<Found> {
  const { rules } = session.gate;
  if (tool.launches) return findReused(tool.launches(input as never), session, signal);
  if (tool.quits) return { ...(await runningOf(tool.quits(input as never), session, signal)), isOnDesktop: true };
  const isAsked = tool.access !== "observe" && rules.requireApprovalForInput;
  const isInPage = isOfPage(tool) || surfaceOf(input).startsWith("page:");
  const isOnDevice = tool.set === "android" || surfaceOf(input).startsWith("android:");
  const isAnywhere = isInPage || (isOnDevice && tool.captures === true) || tool.needs.length > 0;
  const isElsewhere = isInPage || isOnDevice;
  if (!isAnywhere || !(dependsOnWindow(rules) || (isAsked && !isElsewhere))) return {};
  try {
    const surface = await session.surface(await whichSurface(session, tool, input));
    const given = { ...input, ...tool.looksAt?.(input as never, session) };
    const { windows, node } = await findLookedAt(surface, tool, given, signal);
    return { windows, node, isOnDesktop: surface.id === "desktop" };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return { windows: [] };
  }
}

/** An app that runs is not started again: its window comes to the front, and rules about that window count. */
async function findReused({ program, args, reuses }: Launch, session: Session, signal: AbortSignal): Promise<Found> {
  if (!reuses || args.length > 0 || !dependsOnWindow(session.gate.rules)) return {};
  const { windows } = await runningOf({ name: program }, session, signal);
  return { windows };
}

/**
 * What the action of a call would touch. If the caller may not look yet, an unknown target is no error here: what is
 * wrong with it would reveal something about the screen.
 */
async function locateCall(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<Found> {
  const isAsked = session.gate.rules.requireApprovalForInput;
  if (!isAsked && !dependsOnWindow(session.gate.rules)) return {};
  const context = { session, signal, surface: async () => session.surface(await whichSurface(session, tool, input)) };
  try {
    const action = await tool.acts?.(input as never, context);
    if (!action) return { windows: [] };
    const surface = await context.surface();
    const at = performance.now();
    const located = await surface.locate(action, signal);
    const windows = await surface.touchedBy(located, signal);
    const isOnDesktop = surface.id === "desktop";
    return { windows, isOnDesktop, node: located.place?.node, located: { at, action: located } };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    if (error.code === "denied" && tool.goesAway?.(input as never)) return {};
    // Nobody needs to be asked about a call that cannot work. The compatibility sets report that in their own format.
    if (session.gate.mayLook() && !compatSets.includes(tool.set)) throw error;
    return { windows: [] };
  }
}

const pictureSide = 640;

/** A small picture of the window or page in question, without what the policy hides. */
async function photographTouched(
  session: Session,
  id: string,
  { windows: [window] = [], node, page }: Touched,
  signal: AbortSignal,
): Promise<QuestionPicture | undefined> {
  if (!window && !page) return undefined;
  const surface = await session.surface(page ? page.id : id);
  const area = window ? { kind: "window" as const, windowId: window.id } : { kind: "screen" as const };
  const encode = { format: "jpeg", quality: 70, maxSide: pictureSide } as const;
  const { image, frame } = await surface.look(area, { encode, includeCursor: false, signal });
  const { x, y, width, height } = frame.bounds;
  const box = node?.bounds && {
    x: (node.bounds.x - x) / width,
    y: (node.bounds.y - y) / height,
    width: node.bounds.width / width,
    height: node.bounds.height / height,
  };
  return { bytes: image.bytes, mimeType: image.mimeType, box };
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
