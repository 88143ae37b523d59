import { roleNamed } from "../../../base/roles.ts";
import { ordinalOf } from "./ordinals.ts";
import { hasQuote, isQuote, onlyQuote, unmask } from "./quotes.ts";

/** What an instruction points at, before anyone has looked for it. */
export interface Target {
  /** Empty: anything with the role. */
  readonly name: string;
  /** It was written in quotes, so it is the exact name. */
  readonly isQuoted: boolean;
  readonly role: string | undefined;
  /** 1 is the first, -1 the last. */
  readonly ordinal: number | undefined;
  /** How many there must be: "both" means two. */
  readonly exactly?: number;
  /** The name of what contains it. */
  readonly within: string | undefined;
  /** The kind of what contains it, where it has no name: "in the list". */
  readonly place?: Place;
  /** The name if all of the phrase belongs to it: "Name on card", "Tab 2", "Your name", "New item". */
  readonly whole?: string;
  /** It follows the name of a menu, so an entry with that name comes first. */
  readonly isEntry?: boolean;
  /** What of the phrase is not understood. */
  readonly problem?: string;
}

/** Containers that an instruction may point into without naming them. */
export const places = {
  list: ["list", "table", "tree", "combobox", "menu"],
  table: ["table", "tree"],
  dialog: ["dialog", "alert"],
  toolbar: ["toolbar"],
  menu: ["menu", "menubar"],
} as const satisfies Record<string, readonly string[]>;
export type Place = keyof typeof places;

const placeWords: readonly (readonly [RegExp, Place | undefined])[] = [
  [/^(?:the )?(?:scroll(?:ing)? )?list(?: of [\p{L} ]+)?$/iu, "list"],
  [/^(?:the )?table$/i, "table"],
  [/^(?:the )?(?:dialog(?: box)?|pop-?up|message box)$/i, "dialog"],
  [/^(?:the )?tool ?bar$/i, "toolbar"],
  [/^(?:the )?(?:menu ?bar|menus?)$/i, "menu"],
  // No more than "here".
  [/^(?:the |this )?(?:page|window|form|screen|app|application|sidebar)$/i, undefined],
];

const roleWords: Readonly<Record<string, string>> = {
  "check box": "checkbox",
  "combo box": "combobox",
  "drop-down": "combobox",
  "drop-down list": "combobox",
  "drop down": "combobox",
  "drop down list": "combobox",
  "dropdown list": "combobox",
  "input box": "textbox",
  "input field": "textbox",
  "input text box": "textbox",
  "input textbox": "textbox",
  "menu item": "menuitem",
  "number field": "spinbutton",
  "radio button": "radio",
  "search box": "textbox",
  "spin box": "spinbutton",
  "spin button": "spinbutton",
  "text area": "textbox",
  "text box": "textbox",
  "text entry": "textbox",
  "text field": "textbox",
  "text input": "textbox",
  "toggle button": "togglebutton",
  area: "textbox",
  box: "box",
  document: "textbox",
  editor: "textbox",
  entry: "textbox",
  field: "textbox",
  input: "textbox",
  key: "button",
  list: "list",
  menu: "menu",
  sign: "button",
  symbol: "button",
  toggle: "togglebutton",
};

const longest = Object.keys(roleWords).toSorted((a, b) => b.length - a.length);
const plainRoles =
  "button|checkbox|checkmark|link|tab|row|cell|item|option|menuitem|dropdown|combobox|textbox|textfield|textarea|slider|switch|radio|icon|label|heading|image|dialog|window|column|spinner|spinbutton";
const roleWord = `(?:${longest.join("|")}|${plainRoles})`;

/** Names and spellings of one sign; which of these an app uses is unknown before looking. */
const signs: readonly (readonly string[])[] = [
  ["+", "plus", "add"],
  ["-", "−", "–", "minus", "subtract"],
  ["×", "*", "·", "⋅", "∗", "✕", "x", "times", "multiply", "multiplied by"],
  ["÷", "/", "∕", "⁄", "divide", "divided by"],
  ["=", "equals", "equal", "equal to"],
  ["%", "percent", "per cent"],
  [".", ",", "point", "decimal point", "decimal separator"],
  ["√", "square root", "root", "sqrt"],
  ["π", "pi"],
  ["±", "+/-", "+/−", "plus minus", "change sign"],
];

/** The other names of a sign, in lower case; none if it is not a sign. */
export const otherSigns = (name: string): readonly string[] =>
  signs.find((names) => names.includes(name))?.filter((each) => each !== name) ?? [];

const article = /^(?:the|a|an|your|my|its|that|this)\s+/i;
const naming = "(?:labell?ed|called|named|that says|saying|with the (?:label|name|text|title)|marked|titled)";
const into = "(?:in|inside|of|from|under|on|within)";

/** "the button in the dialog labelled X": where it is stands between what it is and its name. */
const parted = new RegExp(`^(.*?${roleWord})\\s+${into}\\s+((?:the\\s+)?[^⟦]+?)\\s+(${naming}\\s+.+)$`, "i");

/** Reads "the second Delete button in Row 2" and the like. */
export function readTarget(phrase: string, quotes: readonly string[]): Target {
  let rest = phrase.trim().replace(/^(?:on|at|inside|into|in|of)\s+/i, "");
  let where: string | undefined;
  const whole = rest.replace(/^the\s+/i, "").trim();
  const between = parted.exec(rest);
  const inside = new RegExp(`^(.+?)\\s+${into}\\s+(.+)$`, "i").exec(rest);
  if (between?.[1] && between[2] && between[3]) {
    rest = `${between[1]} ${between[3]}`;
    [, , where] = between;
  } else if (inside?.[1] && inside[2]) {
    [, rest = "", where] = inside;
  }
  const placed = where === undefined ? undefined : readPlace(where, quotes);
  const isAny = /^(?:a|an)\s/i.test(rest);
  rest = rest.replace(article, "");
  const [ordinal, noun] = readOrdinal(rest);
  const { name, role } = nameAndRole(noun);
  const quoted = onlyQuote(name, quotes);
  const isKind = isAny && role === undefined && !hasQuote(name);
  const problem = problemIn(name) ?? placed?.problem ?? (isKind ? unclear(name) : undefined);
  return {
    name: (quoted ?? unmask(name, quotes).replaceAll('"', "")).trim(),
    isQuoted: quoted !== undefined,
    role,
    ordinal,
    within: placed?.name,
    ...(placed?.place === undefined ? {} : { place: placed.place }),
    ...(hasQuote(whole) || whole === name ? {} : { whole }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function readOrdinal(phrase: string): readonly [ordinal: number | undefined, noun: string] {
  const [first = "", ...others] = phrase.split(/\s+/);
  const ordinal = others.length > 0 ? ordinalOf(first) : undefined;
  return [ordinal, ordinal === undefined ? phrase : others.join(" ")];
}

// Some of these may begin a name, like "Not now"; without quotation marks they say how many, or which not.
const quantity =
  /^(?:(?:all|any|some|none|no|not|either|neither|other|another|only|both) (?=.)|(?:every|each|both|everything|nothing)\b)/i;
const relation =
  /\b(?:that|which|who|whose|ascending|descending|increasing|decreasing|colou?red|below|above|similar|as many)\b|, .*/i;

// "Find and Replace" is a name; what follows in lower case may be one more thing to do.
const more = /\sand\s+\p{Ll}.*/u;

/** What a phrase says beyond a name, a kind, a number and a place. */
function problemIn(name: string): string | undefined {
  if (isQuote(name)) return undefined;
  if (hasQuote(name)) {
    const words = name.replaceAll(/⟦\d+⟧/g, " ").replaceAll(/\s+/g, " ").trim();
    return `"${words}" beside a name in quotation marks is not understood`;
  }
  const word = (quantity.exec(name) ?? relation.exec(name) ?? more.exec(name))?.[0].trim();
  return word === undefined ? undefined : unclear(word);
}

const unclear = (word: string): string =>
  `"${word}" is not understood; if it belongs to a name, put the name in quotation marks`;

interface Placed {
  readonly name: string | undefined;
  readonly place?: Place | undefined;
  readonly problem?: string | undefined;
}

/** A place that is called by its kind alone. */
export const unnamedPlace = (phrase: string): readonly [RegExp, Place | undefined] | undefined =>
  placeWords.find(([pattern]) => pattern.test(phrase.trim()));

function readPlace(phrase: string, quotes: readonly string[]): Placed {
  const generic = unnamedPlace(phrase);
  if (generic) return { name: undefined, place: generic[1] };
  const { name } = nameAndRole(phrase.trim().replace(/^the\s+/i, ""));
  return {
    name: (onlyQuote(name, quotes) ?? unmask(name, quotes).replaceAll('"', "")).trim(),
    problem: problemIn(name),
  };
}

interface Named {
  readonly name: string;
  readonly role: string | undefined;
}

function nameAndRole(phrase: string): Named {
  const before = new RegExp(`^(${roleWord})\\s+(?:${naming}\\s+)?(\\S.*)$`, "i").exec(phrase);
  const after = new RegExp(`^(.*\\S)\\s+(${roleWord})$`, "i").exec(phrase);
  const alone = new RegExp(`^(${roleWord})$`, "i").exec(phrase);
  if (alone) return { name: "", role: toRole(alone[1]) };
  if (after) return { name: after[1] ?? "", role: toRole(after[2]) };
  const isNaming = new RegExp(naming, "i").test(phrase);
  // "tab Lists" names a tab; "menu bar" and "Option key" do not begin with a role.
  if (before && (hasQuote(before[2] ?? "") || isNaming || /^(?:button|tab|link|field)$/i.test(before[1] ?? ""))) {
    return { name: before[2] ?? "", role: toRole(before[1]) };
  }
  return { name: phrase, role: undefined };
}

function toRole(word = ""): string | undefined {
  const plain = word.toLowerCase();
  return roleWords[plain] ?? roleNamed(plain);
}
