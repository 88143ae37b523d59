import type { Content, Item } from "./meaning.ts";
import { namesIn } from "./snapshot-text.ts";

/**
 * The same content in fewer lines: the links of a navigation and the options of a closed list are named in the line of
 * their container, and a long text that was there before is only begun. `root` lists any of them in full.
 */
export function compact({ items, omitted }: Content): Content {
  const said = new Set<string>();
  const visit = (item: Item): Item => {
    const links = linksOf(item);
    if (links) return { ...item, children: [], inside: namesIn("links", links) };
    const options = optionsOf(item);
    if (options) return { ...item, children: [], inside: namesIn("options", options) };
    if (isLongText(item)) {
      const { name } = item.source.node;
      if (said.has(name)) return { ...item, isRepeated: true };
      said.add(name);
    }
    return item.children.length === 0 ? item : { ...item, children: item.children.map(visit) };
  };
  return { items: items.map(visit), omitted };
}

// A breadcrumb of three is as short as lines.
const fewestLinks = 4;

/** The names of all that is in a navigation, if that is only links. */
function linksOf({ source, children, omitted }: Item): readonly string[] | undefined {
  if (source.node.nativeRole !== "navigation" || omitted > 0) return undefined;
  const names = children.flatMap(linkNames);
  return names.length >= fewestLinks && names.every((name) => name !== "") ? names : undefined;
}

/** An empty name stands for anything else. */
function linkNames(item: Item): readonly string[] {
  const { node } = item.source;
  if (item.omitted > 0) return [""];
  if (item.children.length === 0) return [isPlainLink(item) ? node.name : ""];
  const isShell = (node.role === "list" || node.role === "listitem") && node.name === "";
  return isShell ? item.children.flatMap(linkNames) : [""];
}

const isPlainLink = ({ source: { node } }: Item): boolean =>
  node.role === "link" && !node.states.some((state) => state === "focused" || state === "selected");

/** The names of the options that are not chosen; the chosen one is the value. */
function optionsOf({ source, children, omitted }: Item): readonly string[] | undefined {
  const isClosed = source.node.role === "combobox" && !source.node.states.includes("expanded");
  if (!isClosed || omitted > 0 || children.length === 0 || !children.every(isPlainOption)) return undefined;
  return children.filter((item) => !isSelected(item)).map(({ source: { node } }) => node.name);
}

const isSelected = ({ source: { node } }: Item): boolean => node.states.includes("selected");

const isPlainOption = ({ source: { node }, children, omitted }: Item): boolean =>
  node.nativeRole === "option" &&
  node.name !== "" &&
  node.states.includes("enabled") &&
  !node.states.includes("focused") &&
  children.length + omitted === 0;

const textRoles: ReadonlySet<string> = new Set(["text", "paragraph"]);
/** How much of a repeated text is shown. */
export const repeatedLength = 24;

const isLongText = ({ source: { node }, children, omitted }: Item): boolean =>
  textRoles.has(node.role) &&
  node.name.length > repeatedLength + 6 &&
  children.length + omitted === 0 &&
  node.actions.every((action) => action === "scroll_into_view");
