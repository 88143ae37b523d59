import { findProblems, type Problem } from "../../tools/steps.ts";
import { convertMaestro, isMaestro } from "../maestro/convert.ts";
import { flowSchema, stepLists, type Flow } from "./flow-schema.ts";
import { hasPlaceholder } from "./placeholders.ts";
import { readYaml, type Position, type Yaml } from "./yaml-document.ts";

/** A mistake in a flow file, and where it is. */
export interface FlowProblem extends Position {
  readonly file: string;
  readonly message: string;
}

/** A flow, and where each part of it is written. */
export interface FlowText {
  readonly flow: Flow;
  readonly position: Yaml["position"];
}

export type FlowRead =
  | { readonly text: FlowText; readonly problems: readonly [] }
  | { readonly text?: undefined; readonly problems: readonly FlowProblem[] };

const mostProblems = 20;

/** Reads the text of a flow. A flow with one mistake is no flow: nothing of it may be done. */
export function readFlow(written: string, file: string): FlowRead {
  const text = written.replace(/^\uFEFF/, "");
  const { documents, faults } = readYaml(text);
  const fail = (problems: readonly Omit<FlowProblem, "file">[]): FlowRead => ({
    problems: problems.slice(0, mostProblems).map(({ line, column, message }) => ({ file, line, column, message })),
  });
  if (faults.length > 0) return fail(faults);
  const [yaml, second] = documents;
  if (!yaml || yaml.value === null || yaml.value === undefined)
    return fail([{ line: 1, column: 1, message: "the file is empty; it begins with flow: 1" }]);
  const values = documents.map(({ value }) => value);
  if (isMaestro(values)) return ofMaestro(documents, values, fail);
  if (second) return fail([{ ...second.position([]), message: "there is a second document; write one flow per file" }]);
  if (!isMap(yaml.value))
    return fail([{ ...yaml.position([]), message: "a flow is a list of fields: flow, name, steps" }]);
  const deep = tooDeep(yaml.value);
  if (deep) return fail([{ ...yaml.position(deep), message: `blocks are nested deeper than ${deepestBlocks}` }]);
  const parsed = flowSchema.safeParse(yaml.value);
  const problems = findProblems(parsed.error?.issues ?? []).filter(({ path }) => isFinal(yaml.value, path));
  if (problems.length > 0) return fail(withoutEchoes(problems).map((problem) => place(problem, yaml)));
  return { text: { flow: yaml.value as unknown as Flow, position: yaml.position }, problems: [] };
}

/** A Maestro flow is played as it is, unless it says something that would be lost. */
function ofMaestro(
  documents: readonly Yaml[],
  values: readonly unknown[],
  fail: (problems: readonly Omit<FlowProblem, "file">[]) => FlowRead,
): FlowRead {
  const { flow, origins, unsupported } = convertMaestro(values);
  const at = (path: readonly PropertyKey[]): Position => positionIn(documents, path);
  const problems = unsupported.map(({ path, message }) => ({
    ...at(path),
    message: `Maestro: ${message} is not supported`,
  }));
  if (problems.length > 0) return fail(problems);
  const parsed = flowSchema.safeParse(flow);
  const wrong = findProblems(parsed.error?.issues ?? []).filter(({ path }) => isFinal(flow, path));
  // Steps do not know their lines in the other format; that of the list is near enough for a mistake we make.
  if (wrong.length > 0) return fail(wrong.map(({ message }) => ({ ...at([documents.length - 1]), message })));
  const commandsAt = (path: readonly PropertyKey[]): Position => {
    const origin = typeof path[3] === "number" ? origins[path[3]] : undefined;
    return at(origin === undefined ? [documents.length - 1] : [documents.length - 1, origin]);
  };
  return { text: { flow, position: commandsAt }, problems: [] };
}

/** A path that begins with the number of its document, as in a Maestro flow with settings; or the only one. */
export function positionIn(documents: readonly Yaml[], path: readonly PropertyKey[]): Position {
  const [first, ...rest] = path;
  const document = documents.length > 1 ? documents[Number(first)] : documents[0];
  return document?.position(rest) ?? { line: 1, column: 1 };
}

/** A misspelt field also makes its step or target incomplete; to say that as well would only confuse. */
function withoutEchoes(problems: readonly Problem[]): readonly Problem[] {
  const key = ({ path }: Problem): string => path.map(String).join("\0");
  const misspelt = new Set(problems.filter(({ keys }) => keys !== undefined).map(key));
  return problems.filter((problem) => problem.keys !== undefined || !misspelt.has(key(problem)));
}

function place({ path, message, keys = [] }: Problem, yaml: Yaml): Omit<FlowProblem, "file"> {
  const [key] = keys;
  const at = key === undefined ? yaml.position(path) : yaml.keyPosition([...path, key]);
  const isMissing = valueAt(yaml.value, path) === undefined;
  return { ...at, message: `${wordsOfPath(path)}${isMissing ? "is missing" : message}` };
}

/** `steps.2.click` is better told as the place in the file, with what is there. */
const wordsOfPath = (path: readonly PropertyKey[]): string => {
  const last = path.findLastIndex((part) => typeof part === "number");
  const words = path.slice(last + 1).map(String);
  return words.length === 0 ? "" : `${words.join(".")}: `;
};

/** What a placeholder stands for is known only when the step is performed; it is checked again then. */
function isFinal(value: unknown, path: readonly PropertyKey[]): boolean {
  const at = valueAt(value, path);
  const isStep = isMap(at) && stepLists.some((list) => path.includes(list)) && typeof path.at(-1) === "number";
  return isStep || !hasPlaceholder(at);
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const deepestBlocks = 12;

/** The path of a block that is nested too deep; the schema would exhaust the stack on it. */
function tooDeep(value: unknown, path: readonly PropertyKey[] = [], depth = 0): readonly PropertyKey[] | undefined {
  if (depth > deepestBlocks * 3) return path;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = tooDeep(inner, [...path, Array.isArray(value) ? Number(key) : key], depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** A problem as compilers print them, which editors and terminals make a link of. */
export const problemLine = ({ file, line, column, message }: FlowProblem): string =>
  `${file}:${line}:${column}: ${message}`;
