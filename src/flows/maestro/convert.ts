import type { Flow, FlowStep, Scalar } from "../file/flow-schema.ts";
import { commands, inList, ofItem } from "./commands.ts";
import { isMap, textOf, type Converting } from "./converting.ts";

/** Something of a Maestro flow that a flow cannot say, or need not. */
export interface Remark {
  /** Where it is in the file: document, then path. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

export interface Converted {
  readonly flow: Flow;
  /** Which command each of its steps comes from; undefined for those of the settings. */
  readonly origins: readonly (number | undefined)[];
  /** What has no equivalent: a flow without it means something else. */
  readonly unsupported: readonly Remark[];
  /** What is left out because it happens anyway. */
  readonly notes: readonly Remark[];
}

/** Whether these documents are a Maestro flow: its settings, then a list of commands; or the list alone. */
export function isMaestro(documents: readonly unknown[]): boolean {
  const [first, second] = documents;
  if (documents.length === 1) return Array.isArray(first) && first.some(looksLikeCommand);
  return documents.length === 2 && isMap(first) && !("flow" in first) && Array.isArray(second);
}

const looksLikeCommand = (item: unknown): boolean =>
  (typeof item === "string" && item in commands) || (isMap(item) && Object.keys(item).some((key) => key in commands));

const known: ReadonlySet<string> = new Set(["appId", "url", "name", "tags", "env", "onFlowStart", "onFlowComplete"]);

/** The same as a flow. Whatever cannot be said is named, never dropped. */
export function convertMaestro(documents: readonly unknown[]): Converted {
  const hasSettings = documents.length === 2;
  const settings = hasSettings && isMap(documents[0]) ? documents[0] : {};
  const list = documents[hasSettings ? 1 : 0];
  const unsupported: Remark[] = [];
  const notes: Remark[] = [];
  const converting = (path: readonly PropertyKey[]): Converting => ({
    appId: textOf(settings["appId"]),
    isWeb: settings["url"] !== undefined,
    path,
    unsupported: (message, at = path) => unsupported.push({ path: at, message }),
    note: (message) => notes.push({ path, message }),
    at: (more) => converting([...path, ...more]),
  });
  for (const key of Object.keys(settings)) {
    if (!known.has(key)) unsupported.push({ path: [0, key], message: `setting ${key}` });
  }
  const start = inList(settings["onFlowStart"], converting([0, "onFlowStart"]));
  const here = hasSettings ? 1 : 0;
  const items = (Array.isArray(list) ? list : []).map((item: unknown, index) =>
    ofItem(item, converting([here, index])),
  );
  const steps = [...start, ...items.flat()];
  const origins = [...start.map(() => undefined), ...items.flatMap((each, index) => each.map(() => index))];
  const end = inList(settings["onFlowComplete"], converting([0, "onFlowComplete"]));
  const place: Pick<FlowStep, "page" | "device"> =
    settings["url"] === undefined ? { device: true } : { page: textOf(settings["url"]) };
  const env = isMap(settings["env"]) ? (settings["env"] as Record<string, Scalar>) : undefined;
  const tags = Array.isArray(settings["tags"]) ? settings["tags"].map(String) : undefined;
  const flow: Flow = {
    flow: 1,
    ...(settings["name"] === undefined ? {} : { name: textOf(settings["name"]) }),
    ...(tags ? { tags } : {}),
    ...(env ? { vars: env } : {}),
    steps: [{ ...place, steps, ...(end.length > 0 ? { finally: end } : {}) }],
  };
  return { flow, origins, unsupported, notes };
}
