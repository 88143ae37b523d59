import { ToolError } from "../base/errors.ts";
import { contains } from "../base/geometry.ts";
import { dependsOnWindow, type PolicyRequest } from "../policy/decide.ts";
import { needFile } from "../policy/files.ts";
import { needPackage, needUrl } from "../policy/urls.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { isEmptyQuery, matchWindows } from "../surface/choose-window.ts";
import type { Surface } from "../surface/surface.ts";
import type { Session } from "./session.ts";
import { compatSets, surfaceOf, type AnyTool } from "./tool.ts";

type Input = Readonly<Record<string, unknown>>;
type About = Pick<PolicyRequest, "tool" | "title" | "access" | "captures" | "tellsOfItself" | "window" | "app">;

/** Throws `denied` when a file, page or package the call names is out of bounds; returns the input with the real paths. */
export async function needReach(tool: AnyTool, input: Input, { gate: { rules } }: Session): Promise<Input> {
  const texts = (field: string): string[] => [input[field]].flat().filter((value) => typeof value === "string");
  // Those of the compatibility sets answer a refusal in words of their own.
  const files = compatSets.includes(tool.set) ? {} : (tool.files ?? {});
  const real: Record<string, unknown> = {};
  for (const [field, use] of Object.entries(files)) {
    const paths = await Promise.all(texts(field).map((path) => needFile(path, use, rules.files[use])));
    if (paths.length > 0) real[field] = Array.isArray(input[field]) ? paths : paths[0];
  }
  for (const field of tool.urls ?? []) for (const url of texts(field)) needUrl(url, rules);
  for (const field of tool.packages ?? []) for (const name of texts(field)) needPackage(name, rules);
  return { ...input, ...real };
}

/** What a call is about, as far as the rules or a question need it. */
export async function aboutCall(tool: AnyTool, input: Input, session: Session, signal: AbortSignal): Promise<About> {
  const { name, title, access, captures } = tool;
  const { rules } = session.gate;
  const about = { tool: name, title, access, captures, tellsOfItself: tool.set === "meta" && access === "observe" };
  const app = text(input["app_name"]);
  const asks = rules.mode === "ask" && access !== "observe" && rules.requireApprovalForInput;
  if (tool.needs.length === 0 || surfaceOf(input) !== "desktop" || !(asks || dependsOnWindow(rules)))
    return { ...about, app };
  const window = await findWindow(session, input, signal);
  return { ...about, app, window: window && { id: window.id, title: window.title, app: window.appName } };
}

/** The window the arguments name, or the one that has the keyboard. Not knowing is no reason to fail. */
async function findWindow(session: Session, input: Input, signal: AbortSignal): Promise<WindowInfo | undefined> {
  try {
    const surface = await session.surface("desktop");
    const all = (await surface.backend.windows?.list({ signal })) ?? [];
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
