import { editDistance } from "../../../base/nearest.ts";
import { isRole } from "../../../base/roles.ts";
import type { SeenElement } from "../../eyes.ts";
import { labelled } from "../../../base/labelled.ts";
import { nthOf } from "./nth.ts";
import { inside, within } from "./scope.ts";
import { otherSigns, type Target } from "./target.ts";
import { plain } from "./plain.ts";

export type Resolved =
  | { readonly kind: "found"; readonly element: SeenElement }
  | { readonly kind: "ambiguous"; readonly candidates: readonly SeenElement[] }
  /** Similar names, for the person to choose from. */
  | { readonly kind: "missing"; readonly near: readonly string[] };

/** Below this it is a different name. */
const fewest = 0.7;
/** Matches closer than this are equally good, and choosing one would be guessing. */
const closest = 0.04;

const fields = ["textbox", "spinbutton", "combobox", "slider"];
const boxes = ["checkbox", "switch", "radio", "togglebutton", "menuitem", "textbox"];
const wholes = [
  "application",
  "window",
  "dialog",
  "document",
  "group",
  "menubar",
  "toolbar",
  "statusbar",
  "tablist",
  "table",
];
const pressable = [
  "button",
  "togglebutton",
  "checkbox",
  "radio",
  "switch",
  "link",
  "menu",
  "menuitem",
  "tab",
  "listitem",
  "treeitem",
  "row",
  "cell",
  "combobox",
  "textbox",
  "spinbutton",
  "slider",
  "columnheader",
];

/** Texts of an app or a page: clicking one does nothing, unless it offers an action. */
const texts = ["text", "heading", "paragraph", "statusbar", "tooltip"];
export type Purpose = "click" | "field" | "switch" | "option" | "drag" | "drop";

const offersPress = ({ actions }: SeenElement): boolean =>
  actions.some((action) => ["press", "toggle", "select", "expand"].includes(action));

/** Whether it is a text that nothing says can be pressed. */
export const isText = (element: SeenElement): boolean => texts.includes(element.role) && !offersPress(element);

/** The text with that name, if that is all there is: nothing says that it can be clicked. */
export function findPlainText(elements: readonly SeenElement[], { name }: Target): SeenElement | undefined {
  const asked = plain(name);
  return elements.find((element) => isText(element) && plain(element.name) === asked);
}

/** The one matching element, or why there is not exactly one. */
export function resolve(elements: readonly SeenElement[], target: Target, purpose: Purpose): Resolved {
  const { whole } = target;
  if (whole !== undefined && elements.some(({ name }) => plain(name) === plain(whole))) {
    const all: Target = { name: whole, isQuoted: true, role: undefined, ordinal: undefined, within: undefined };
    const named = resolve(elements, all, purpose);
    if (named.kind !== "missing") return named;
  }
  const scope = target.within === undefined ? elements : inside(elements, target.within);
  if (target.ordinal !== undefined) return countedOut(elements, scope, target, purpose);
  const sought: Sought = {
    ...target,
    purpose,
    signs: isNamed(scope, target, purpose) ? [] : otherSigns(plain(target.name)),
  };
  const matches = scope
    .map((element) => ({ element, score: score(element, sought, elements) }))
    .filter(({ score: own }) => own >= fewest)
    .toSorted((a, b) => b.score - a.score);
  const best = matches[0]?.score ?? 0;
  const equal = inFront(
    elements,
    essential(
      elements,
      matches.filter(({ score: own }) => best - own < closest).map(({ element }) => element),
    ),
  );
  const placed = equal.length > 1 && target.place ? within(elements, equal, target.place) : equal;
  const [only, ...others] = placed;
  if (!only) return tabNumber(elements, target, purpose) ?? missing(elements, target);
  return others.length === 0 ? { kind: "found", element: only } : { kind: "ambiguous", candidates: placed };
}

/** "the 2nd checkbox": of one kind, among all that are shown. */
function countedOut(
  elements: readonly SeenElement[],
  scope: readonly SeenElement[],
  target: Target,
  purpose: Purpose,
): Resolved {
  const sought: Sought = { ...target, purpose, signs: [] };
  const eligible = scope.filter(
    (element) =>
      isEligible(element, target, purpose) &&
      (element.states.includes("showing") || element.native_role === "option") &&
      (target.name === "" || likeness(element, sought, elements) >= fewest),
  );
  const kind = target.role === "box" ? undefined : target.role;
  const same = eligible.filter(({ role }) => kind !== undefined && isRole(role, kind));
  const chosen = inFront(elements, essential(elements, same.length > 0 ? same : eligible));
  const placed = target.place ? within(elements, chosen, target.place) : chosen;
  const nth = nthOf(placed, target.ordinal ?? 1);
  if (nth === undefined) return missing(elements, target);
  const isOther = target.exactly !== undefined && target.exactly !== placed.length;
  return isOther || nth === "unclear" ? { kind: "ambiguous", candidates: placed } : { kind: "found", element: nth };
}

/** "tab 2" is the second one where no tab has a number in its name. */
function tabNumber(elements: readonly SeenElement[], target: Target, purpose: Purpose): Resolved | undefined {
  const number = target.role === "tab" && !target.isQuoted ? /^#?(\d{1,2})$/.exec(target.name)?.[1] : undefined;
  const hasNumbers = elements.some(({ role, name }) => role === "tab" && /\d/.test(name));
  if (number === undefined || hasNumbers) return undefined;
  const { whole: _whole, ...tab } = target;
  return resolve(elements, { ...tab, name: "", ordinal: Number(number) }, purpose);
}

interface Sought extends Target {
  readonly purpose: Purpose;
  /** Other names of the requested sign: "×" for "*". */
  readonly signs: readonly string[];
}

/** Whether an element has exactly this name; then another name of the same sign means something else. */
function isNamed(elements: readonly SeenElement[], target: Target, purpose: Purpose): boolean {
  const asked = plain(target.name);
  return elements.some((element) => plain(element.name) === asked && isEligible(element, target, purpose));
}

function score(element: SeenElement, target: Sought, all: readonly SeenElement[]): number {
  const { name, role, purpose } = target;
  if (!isEligible(element, target, purpose)) return 0;
  const plain = likeness(element, target, all);
  const named = name === "" && role !== undefined ? (isRole(element.role, role) ? 0.8 : 0.75) : plain;
  if (named === 0) return 0;
  const fits = ["click", "drag"].includes(purpose) && pressable.includes(element.role) ? 0.05 : 0;
  const listed = target.isEntry === true && ["menuitem", "menu"].includes(element.role) ? 0.05 : 0;
  const offers = element.actions.length > 0 ? 0.01 : 0;
  const shown = element.states.includes("showing") ? 0.05 : 0;
  const usable = element.states.includes("enabled") ? 0.03 : 0;
  const focused = name === "" && element.states.includes("focused") ? 0.05 : 0;
  return named + fits + listed + offers + shown + usable + focused;
}

function isEligible(element: SeenElement, target: Target, purpose: Purpose): boolean {
  const { role, states } = element;
  if (target.role === "box") return [...boxes, ...fields].includes(role);
  if (purpose === "field") {
    if (target.role !== undefined && fields.includes(target.role))
      return fields.includes(role) || states.includes("editable");
    return fields.includes(role) || states.includes("editable");
  }
  // Things can be dropped into what other purposes ignore: lists, groups, areas.
  if (purpose === "drop" && target.name !== "") return !["application", "window", "document"].includes(role);
  if (purpose === "switch") return boxes.includes(role) && role !== "textbox";
  if (purpose === "option")
    return ["listitem", "menuitem", "cell", "row", "radio", "treeitem", "button"].includes(role);
  // What has a listener can be clicked, whatever it is.
  if (role === "group" && element.native_role === "clickable")
    return target.role === undefined || target.role === "button";
  if (purpose === "click" && isText(element)) return isRole(role, target.role ?? "");
  if (target.role === undefined) return !wholes.includes(role) || role === "statusbar";
  return isRole(role, target.role) || like[target.role]?.includes(role) === true;
}

/** What people call an element, and the roles it may have in the tree. */
const like: Readonly<Record<string, readonly string[]>> = {
  button: ["menuitem", "link"],
  togglebutton: ["button", "switch", "checkbox"],
  menu: ["menuitem", "button", "combobox", "togglebutton"],
  menuitem: ["menu", "listitem"],
  listitem: ["menuitem", "cell", "row", "treeitem", "text"],
  row: ["cell", "listitem", "treeitem"],
  cell: ["row", "listitem", "treeitem"],
  list: ["table", "tree", "combobox"],
  textbox: ["combobox", "spinbutton", "canvas"],
  combobox: ["button", "list", "menu", "togglebutton"],
  image: ["button", "listitem", "cell"],
  tab: ["radio", "button"],
};

function likeness(
  element: SeenElement,
  { name: wanted, role, purpose, signs }: Sought,
  all: readonly SeenElement[],
): number {
  if (wanted === "") return 0;
  const own = plain(element.name);
  const asked = plain(wanted);
  if (own !== "" && element.name.trim() === wanted) return 1.05;
  if (own !== "" && own === asked) return 1;
  if (signs.includes(own)) return 1;
  const isField = purpose === "field" || (role !== undefined && fields.includes(role));
  if (isField && labelled(element, asked, all, plain)) return 0.97;
  if (plain(element.description ?? "") === asked) return 0.9;
  if (own === "") return byContent.has(purpose) && plain(String(element.value ?? "")) === asked ? 0.85 : 0;
  // Stricter than a search, which only lists: what is found here gets clicked, so a part of a name is another name.
  return 0;
}

/** For these purposes an unnamed element may be found by its text. */
const byContent: ReadonlySet<Purpose> = new Set(["click", "drag", "field"]);

/**
 * One element per nest: for a label inside its button, the button; a button around a button of the same name is one,
 * too.
 */
function essential(all: readonly SeenElement[], matches: readonly SeenElement[]): readonly SeenElement[] {
  const dropped = new Set<SeenElement>();
  for (const inner of matches) {
    const at = all.indexOf(inner);
    let depth = inner.depth;
    for (let index = at - 1; index >= 0 && depth > 0; index--) {
      const outer = all[index];
      if (!outer || outer.depth >= depth) continue;
      ({ depth } = outer);
      if (matches.includes(outer)) dropped.add(outer.actions.length >= inner.actions.length ? inner : outer);
    }
  }
  return matches.filter((match) => !dropped.has(match));
}

/** Of several matches, those in the window or dialog that has the keyboard focus: nobody would mean one behind it. */
function inFront(all: readonly SeenElement[], matches: readonly SeenElement[]): readonly SeenElement[] {
  if (matches.length < 2) return matches;
  let isActive = false;
  const active = new Set<SeenElement>();
  for (const element of all) {
    if (element.depth === 0) isActive = element.states.includes("active");
    if (isActive) active.add(element);
  }
  const front = matches.filter((match) => active.has(match));
  return front.length > 0 ? front : matches;
}

const mostNames = 8;

function missing(elements: readonly SeenElement[], { name }: Target): Resolved {
  const asked = plain(name);
  const names = [
    ...new Set(elements.filter(({ role }) => pressable.includes(role)).map((element) => element.name.trim())),
  ];
  const near = names
    .filter((each) => each !== "")
    .map((each) => ({ each, far: editDistance(plain(each).slice(0, 40), asked.slice(0, 40)) }))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, mostNames);
  return { kind: "missing", near: near.map(({ each }) => each) };
}
