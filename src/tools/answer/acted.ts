import { windowLine } from "./rows.ts";
import { isData, line, place, plain, quoted, texts, type Data } from "./words.ts";

/** Fields that this file tells. */
export const actedFields: ReadonlySet<string> = new Set([
  "ok",
  "effect",
  "changed",
  "target",
  "node_before",
  "node_after",
  "changes",
  "arrived",
  "suspected_loop",
  "window",
  "pid",
  "already_running",
]);

/** What an action did: the outcome and the most telling change in the first line, the others below. */
export function actedLines(data: Data): readonly string[] {
  const { effect, ok, arrived, suspected_loop: isLoop } = data;
  const changes = changeLines(data);
  const [first, ...rest] = changes;
  const outcome = ok === false && arrived !== undefined ? `${plain(effect)}, but not all of it` : plain(effect);
  return [
    [outcome, headline(data, first)].filter((part) => part !== "").join(": "),
    ...rest,
    ...(typeof arrived === "string" ? [`arrived: ${quoted(arrived, longest)}`] : []),
    ...(isLoop === true ? ["The same action keeps leaving the same state: do something else."] : []),
  ];
}

const longest = 500;

function headline(data: Data, first: string | undefined): string {
  const target = targetOf(data);
  if (first === undefined) return data["effect"] === "no_change" ? unchanged(target, data["settle_ms"]) : target;
  const told = first.replace(/^~ /, "");
  return target === "" || told.startsWith(target) ? told : `${target}: ${told}`;
}

function unchanged(target: string, settleMs: unknown): string {
  const within = typeof settleMs === "number" ? ` in ${settleMs} ms` : "";
  return `${target === "" ? "" : `${target}: `}nothing changed${within}`;
}

/** What was acted on: the element as a snapshot names it, or the window that was opened or used. */
function targetOf({ target, node_before: node, window }: Data): string {
  if (isData(window)) return windowLine(window);
  if (isData(node))
    return `${line(plain(node["role"]))}${node["name"] ? ` ${quoted(plain(node["name"]), nameLength)}` : ""}`;
  if (!isData(target)) return "";
  if (typeof target["element"] === "string") return line(target["element"]);
  const { x, y } = target;
  return typeof x === "number" && typeof y === "number" ? `at ${x},${y}` : "";
}

// As long as in the lines about changed elements, which begin with the same words.
const nameLength = 80;

/** The lines about the element itself come first, then windows and addresses, then what else changed. */
export function changeLines({ changes, node_after: node, now }: Data): readonly string[] {
  if (!isData(changes)) return [];
  const { command, focus, tree, windows, pixels, clipboard, url, title, opened_pages: opened, downloads } = changes;
  const own = isData(node) ? targetOf({ node_before: node }) : undefined;
  const isRenamed = texts(windows).some((each) => each.startsWith("renamed "));
  // A window that was renamed is told as a window; its element adds nothing.
  const elements = texts(tree).filter((each) => !(isRenamed && /^~ window "(?:[^"\\]|\\.)*"(?: \w+)? → "/.test(each)));
  const isOwn = (each: string): boolean => own !== undefined && each.startsWith(`~ ${own}`);
  // A listing of all that is there now has them.
  const others = isListed(now) ? [] : elements.filter((each) => !isOwn(each));
  const told = [
    ...elements.filter(isOwn),
    ...(typeof command === "string" ? [command] : []),
    ...texts(windows),
    ...moved("address", url),
    ...moved("title", title),
    ...texts(opened).map((each) => `opened page ${each}`),
    ...texts(downloads).map((each) => `downloaded ${each}`),
    ...texts(clipboard).map((each) => (each === "clipboard" ? "copied to the clipboard" : "selected text changed")),
    ...foldGone(others),
  ];
  const lines = [...told, ...focusLines(focus, told.length > 0 ? own : undefined, told.length > 0)];
  const isSeen = lines.length === 0 && isData(pixels);
  return (isSeen ? [`pixels changed, ${place(pixels["box"])}`] : lines).map(line);
}

const isListed = (now: unknown): boolean => isData(now) && typeof now["snapshot"] === "string";

/** That it moved to what was acted on goes without saying where anything else changed. */
function focusLines(focus: unknown, own: string | undefined, isTold: boolean): readonly string[] {
  if (!isData(focus)) return [];
  const [from, to] = [plain(focus["from"]), plain(focus["to"])];
  // Two fields without a name read the same. That an element which had it is gone is in another line.
  const isLost = to === "nothing" && isTold;
  return from === to || to === own || isLost ? [] : [`focus ${from} → ${to}`];
}

const mostGone = 3;

/** What is gone cannot be used any more; a few names say what it was. */
function foldGone(lines: readonly string[]): readonly string[] {
  const gone = lines.filter((each) => each.startsWith("- "));
  const named = gone.filter((each) => !uncounted.test(each));
  const count = gone.reduce((sum, each) => sum + Number(uncounted.exec(each)?.[1] ?? 1), 0);
  if (count <= mostGone) return lines;
  const names = named.slice(0, mostGone).map((each) => each.slice(2));
  return [...lines.filter((each) => !gone.includes(each)), `- ${count} elements: ${names.join(", ")}, …`];
}

/** The end of a list that is too long. Names are in quotes, so that none reads like it. */
const uncounted = /^- (\d+) more elements$/;

const moved = (what: string, change: unknown): readonly string[] =>
  isData(change) ? [`${what} ${quoted(plain(change["from"]))} → ${quoted(plain(change["to"]))}`] : [];
