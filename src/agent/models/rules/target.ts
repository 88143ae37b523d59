import { roleNamed } from "../../../base/roles.ts";
import { onlyQuote, unmask } from "./quotes.ts";

/** What an instruction points at, before anyone has looked for it. */
export interface Target {
  /** Empty: anything with the role. */
  readonly name: string;
  /** It was written in quotes, so it is the exact name. */
  readonly isQuoted: boolean;
  readonly role: string | undefined;
  /** 1 is the first, -1 the last. */
  readonly ordinal: number | undefined;
  /** The name of what contains it. */
  readonly within: string | undefined;
  /** The name if "on", "in" and the like belong to it: "Name on card". */
  readonly whole?: string;
  /** It follows the name of a menu, so an entry with that name comes first. */
  readonly isEntry?: boolean;
}

const roleWords: Readonly<Record<string, string>> = {
  "check box": "checkbox",
  "combo box": "combobox",
  "drop-down": "combobox",
  "drop down": "combobox",
  "input field": "textbox",
  "menu item": "menuitem",
  "radio button": "radio",
  "search box": "textbox",
  "text area": "textbox",
  "text box": "textbox",
  "text field": "textbox",
  "toggle button": "togglebutton",
  area: "textbox",
  box: "box",
  document: "textbox",
  editor: "textbox",
  entry: "textbox",
  field: "textbox",
  key: "button",
  list: "list",
  menu: "menu",
  sign: "button",
  symbol: "button",
  toggle: "togglebutton",
};

const longest = Object.keys(roleWords).toSorted((a, b) => b.length - a.length);
const plainRoles =
  "button|checkbox|checkmark|link|tab|row|cell|item|option|menuitem|dropdown|combobox|textbox|textfield|slider|switch|radio|icon|label|heading|image|dialog|window|column|spinner|spinbutton";
const roleWord = `(?:${longest.join("|")}|${plainRoles})`;

const ordinals: Readonly<Record<string, number>> = {
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  last: -1,
  "1st": 1,
  "2nd": 2,
  "3rd": 3,
  "4th": 4,
  "5th": 5,
};

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

/** Places that say no more than "here". */
const nowhere =
  /^(?:the )?(?:list(?: of [\p{L} ]+)?|menu ?bar|menus?|tool ?bar|page|window|form|dialog|screen|app|application|sidebar|table)$/iu;

const article = /^(?:the|a|an|your|my|its|that|this)\s+/i;

/** Reads "the second Delete button in Row 2" and the like. */
export function readTarget(phrase: string, quotes: readonly string[]): Target {
  let rest = phrase.trim().replace(/^(?:on|at|inside|into|in|of)\s+/i, "");
  let within: string | undefined;
  let whole: string | undefined;
  const inside = /^(.+?)\s+(?:in|inside|of|from|under|on|within)\s+(.+)$/i.exec(rest);
  if (inside?.[1] && inside[2] && !/^(?:the\s+)?(?:button|field|link|tab|box)$/i.test(inside[1])) {
    whole = /⟦/.test(rest) ? undefined : nameAndRole(rest.replace(article, "")).name.trim();
    rest = inside[1];
    within = nowhere.test(inside[2].trim()) ? undefined : placeName(inside[2], quotes);
  }
  rest = rest.replace(article, "");
  let ordinal: number | undefined;
  const [first = "", ...others] = rest.split(/\s+/);
  if (others.length > 0 && Object.hasOwn(ordinals, first.toLowerCase())) {
    ordinal = ordinals[first.toLowerCase()];
    rest = others.join(" ");
  }
  const { name, role } = nameAndRole(rest);
  const quoted = onlyQuote(name, quotes);
  return {
    name: (quoted ?? unmask(name, quotes).replaceAll('"', "")).trim(),
    isQuoted: quoted !== undefined,
    role,
    ordinal,
    within,
    ...(whole === undefined ? {} : { whole }),
  };
}

function placeName(phrase: string, quotes: readonly string[]): string {
  const { name } = nameAndRole(phrase.trim().replace(/^the\s+/i, ""));
  return (onlyQuote(name, quotes) ?? unmask(name, quotes).replaceAll('"', "")).trim();
}

const naming = "(?:labell?ed|called|named|that says|saying|with the (?:label|name|text|title)|marked|titled)";

function nameAndRole(phrase: string): { readonly name: string; readonly role: string | undefined } {
  const before = new RegExp(`^(${roleWord})\\s+(?:${naming}\\s+)?(\\S.*)$`, "i").exec(phrase);
  const after = new RegExp(`^(.*\\S)\\s+(${roleWord})$`, "i").exec(phrase);
  const alone = new RegExp(`^(${roleWord})$`, "i").exec(phrase);
  if (alone) return { name: "", role: toRole(alone[1]) };
  if (after) return { name: after[1] ?? "", role: toRole(after[2]) };
  // "tab Lists" names a tab; "menu bar" and "Option key" do not begin with a role.
  if (
    before &&
    (/⟦/.test(before[2] ?? "") ||
      new RegExp(naming, "i").test(phrase) ||
      /^(?:button|tab|link|field)$/i.test(before[1] ?? ""))
  ) {
    return { name: before[2] ?? "", role: toRole(before[1]) };
  }
  return { name: phrase, role: undefined };
}

function toRole(word = ""): string | undefined {
  const plain = word.toLowerCase();
  return roleWords[plain] ?? roleNamed(plain);
}
