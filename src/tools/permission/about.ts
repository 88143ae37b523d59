import { ToolError } from "../../base/errors.ts";
import { contains } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import { dependsOnWindow } from "../../policy/decide.ts";
import { needFile } from "../../policy/files.ts";
import { needPackage, needUrl } from "../../policy/urls.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import type { Browsers } from "../../platform/browser.ts";
import { isEmptyQuery, matchWindows } from "../../surface/choose-window.ts";
import type { Surface } from "../../surface/surface.ts";
import { accessOf } from "./access.ts";
import { noticeDevTools } from "../../surface/guard/devtools-port.ts";
import { named, type About } from "./gate.ts";
import { describeCall, type Touched } from "./question-words.ts";
import type { QuestionPicture } from "./questions.ts";
import type { Session } from "../session.ts";
import { compatSets, surfaceOf, type AnyTool } from "../tool.ts";
import { whichSurface } from "../which-surface.ts";

type Input = Readonly<Record<string, unknown>>;

/** Throws `denied` when a file, page or package the call names is out of bounds; returns the input with the real paths. */
export async function needReach(tool: AnyTool, input: Input, session: Session): Promise<Input> {
  const { rules } = session.gate;
  const { privatePorts: ports } = session;
  const texts = (field: string): string[] => [input[field]].flat().filter((value) => typeof value === "string");
  // Those of the compatibility sets answer a refusal in words of their own.
  const files = compatSets.includes(tool.set) ? {} : (tool.files ?? {});
  const real: Record<string, unknown> = {};
  for (const [field, use] of Object.entries(files)) {
    const paths = await Promise.all(texts(field).map((path) => needFile(path, use, rules.files[use])));
    if (paths.length > 0) real[field] = Array.isArray(input[field]) ? paths : paths[0];
  }
  for (const url of (tool.urls ?? []).flatMap(texts)) {
    if (ports) await noticeDevTools(url, ports);
    needUrl(url, { ...rules, ports });
  }
  for (const field of tool.packages ?? []) for (const name of texts(field)) needPackage(name, rules);
  return { ...input, ...real };
}

/** What a call is about, as far as the rules or a question need it. */
export async function aboutCall(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<About> {
  const { name, title, access, captures } = tool;
  const { rules } = session.gate;
  const tellsOfItself = tool.set === "meta" && access === "observe";
  const app = text(input["app_name"]);
  const about = { tool: name, title, access, captures, tellsOfItself, app };
  const mayAsk = rules.mode !== "allow" || rules.rules.length > 0;
  if (!mayAsk || tellsOfItself) return about;
  const isPrivate = await isOnPrivateDesktop(tool, input, session);
  const touched = await findTouched(tool, input, session, signal);
  const { windows, page, device, located, isOnDesktop = false } = touched;
  const [window] = windows ?? [];
  return {
    ...about,
    isPrivate,
    isInPage: page !== undefined,
    subject: [page?.id, device, ...(windows ?? []).map(({ id }) => id)].join("/"),
    windows,
    isOnDesktop,
    located,
    access: await accessOf(tool, input, windows ?? [], session, signal),
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

/** What a person permitted, if the call would still do that: they may have taken minutes. */
export async function needSame(permitted: About, { tool, input, session, signal }: Recheck): Promise<About> {
  const now = await aboutCall(tool, input, session, signal);
  if (now.access === permitted.access && now.subject === permitted.subject) return now;
  throw movedOn(tool.name);
}

/** What was permitted is no longer what the call would do. */
export const movedOn = (tool: string): ToolError =>
  new ToolError("denied", `${tool} was permitted, but would act on something else by now; nothing was done.`, {
    hint: "Name what it is for in the call (window_id, uid, or surface for a page), and call again.",
  });

/** Reading no further than a desktop of ours, and pages of browsers that we have started on it. */
async function isOnPrivateDesktop(tool: AnyTool, input: Input, session: Session): Promise<boolean> {
  // The first of that set asks in any case: its users were promised that.
  if (session.isPrivateDesktop !== true || tool.set === "compat-ui" || tool.set === "android") return false;
  const surface = surfaceOf(input);
  if (surface.startsWith("android:") || tool.name === "cdp_connect") return false;
  // Of the person's own browser it would have all they are signed in to.
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

type Found = Touched & Pick<About, "located" | "isOnDesktop">;

async function findTouched(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<Found> {
  const surface = surfaceOf(input);
  const located = tool.acts && (await locateCall(tool, input, session, signal));
  if (surface.startsWith("page:") || tool.set === "browser") {
    return { ...located, page: pageOf(tool, input, await session.browsers?.()) };
  }
  if (surface.startsWith("android:")) return { ...located, device: surface.slice("android:".length) };
  if (tool.set === "android") return { ...located, device: text(input["serial"]) };
  if (located) return located;
  if (tool.launches) return {};
  const isAsked = tool.access !== "observe" && session.gate.rules.requireApprovalForInput;
  if (tool.needs.length === 0 || !(isAsked || dependsOnWindow(session.gate.rules))) return {};
  const window = await findWindow(session, input, signal);
  return { windows: window ? [window] : [], isOnDesktop: true, node: await findNode(session, input) };
}

/**
 * What the action of a call is about to touch. Not knowing is no reason to fail: what is wrong with a target would tell
 * somebody of the screen who may not look at it yet; the call itself says so once it is permitted.
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
    return { windows: [] };
  }
}

async function findNode(session: Session, input: Input): Promise<UiNode | undefined> {
  const uid = text(input["uid"]);
  const region = number(input["region"]) ?? text(input["region_id"]);
  if (uid === undefined && region === undefined) return undefined;
  const surface = await session.surface("desktop");
  try {
    return uid === undefined ? surface.regions.find(region ?? 0).node : surface.snapshots.find(uid).node;
  } catch {
    // The call itself says what is wrong with it.
    return undefined;
  }
}

const pictureSide = 640;

/** A small picture of the window or page that is meant, without what the policy hides. */
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

/** The window the arguments name, or the one that has the keyboard. Not knowing is no reason to fail. */
async function findWindow(session: Session, input: Input, signal: AbortSignal): Promise<WindowInfo | undefined> {
  try {
    const surface = await session.surface("desktop");
    const all = await surface.need("windows").list({ signal });
    const query = {
      windowId: number(input["window_id"]) ?? idOf(surface, input),
      title: text(input["window_title"]),
      appName: text(input["app_name"]),
      pid: number(input["pid"]),
    };
    if (!isEmptyQuery(query)) return matchWindows(all, query)[0];
    const x = number(input["x"]) ?? number(input["start_x"]);
    const y = number(input["y"]) ?? number(input["start_y"]);
    if (x === undefined || y === undefined) return all.find(({ isForeground }) => isForeground);
    return all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, { x, y }));
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}

/** The window of the element, the marked region or the screenshot that was named. */
function idOf(surface: Surface, input: Input): number | undefined {
  const uid = text(input["uid"]);
  if (uid !== undefined) return surface.snapshots.find(uid).node.windowId;
  const named = number(input["region"]) ?? text(input["region_id"]);
  if (named !== undefined) {
    const region = surface.regions.find(named);
    return region.node?.windowId ?? surface.regions.windowOf(region)?.id;
  }
  const frame = text(input["screenshot_id"]);
  const source = frame === undefined ? undefined : surface.frames.get(frame).source;
  return source?.kind === "window" ? source.windowId : undefined;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
