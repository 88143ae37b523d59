import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { NodeState, UiNode } from "../base/node.ts";
import { foldText } from "../base/match-text.ts";
import { essential } from "./match-elements.ts";
import { isRole, roleNamed, roles, type Role } from "../base/roles.ts";

/**
 * `Button:Submit` · `TextBox:"User > name"` · `#save-button` · `Window[title~=Editor] > Button:Save` ·
 * `CheckBox[checked]` · `Button:Delete[2]` · `Button:Delete[-1]` · `Field:Email` · `Row:has("Ann") > Button` ·
 * `Button:is([enabled])` · `"Some text"`. A step after `>` is anywhere inside the one before it.
 */
export interface Step {
  readonly role?: Role | undefined;
  /** Whatever takes input, by the name of its label. */
  readonly isField?: boolean | undefined;
  readonly name?: string | undefined;
  /** In its name, value or description. */
  readonly text?: string | undefined;
  readonly automationId?: string | undefined;
  readonly tests: readonly Test[];
  /** Selectors of something inside it. */
  readonly has: readonly (readonly Step[])[];
  /** Further selectors that must fit it. */
  readonly is: readonly (readonly Step[])[];
  /** 1 for the first of several matches, -1 for the last. */
  readonly index?: number | undefined;
}

const fields = ["name", "title", "value", "description", "placeholder", "text", "id", "role"] as const;
type Field = (typeof fields)[number];
const operators = ["~=", "^=", "$=", "="] as const;
type Operator = (typeof operators)[number];

export type Test =
  | { readonly field: Field; readonly operator: Operator; readonly text: string }
  | { readonly state: NodeState; readonly wanted: boolean };

const states: readonly NodeState[] = [
  "enabled",
  "showing",
  "focused",
  "focusable",
  "active",
  "editable",
  "readonly",
  "multiline",
  "password",
  "checkable",
  "checked",
  "mixed",
  "pressed",
  "selectable",
  "selected",
  "expandable",
  "expanded",
  "collapsed",
  "modal",
  "required",
  "invalid",
  "busy",
];

export function parseSelector(text: string): readonly Step[] {
  const reader = new Reader(text);
  const steps = readSteps(reader, 0);
  if (!reader.done) throw reader.error(`unexpected "${reader.rest}"`);
  return steps;
}

/** The text as it is written in a selector. */
export const quoteInSelector = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

// Deeper than anybody writes; without a limit a long hostile selector would exhaust the stack.
const deepest = 8;

function readSteps(reader: Reader, depth: number): readonly Step[] {
  if (depth > deepest) throw reader.error(":has and :is are nested too deep");
  const steps: Step[] = [];
  do steps.push(readStep(reader, depth));
  while (reader.take(">"));
  return steps;
}

function readStep(reader: Reader, depth: number): Step {
  reader.skipSpace();
  const text = reader.quotedText();
  const word = text === undefined ? reader.word() : "";
  const isField = word.toLowerCase() === "field";
  const role = word === "" || word === "*" || isField ? undefined : needRole(reader, word);
  const [has, is, tests]: [(readonly Step[])[], (readonly Step[])[], Test[]] = [[], [], []];
  let automationId: string | undefined;
  let name: string | undefined;
  let index: number | undefined;
  // Inside :has() and :is() a name ends where the brackets do.
  const stops = depth > 0 ? "[>)" : "[>";
  if (reader.take("#")) automationId = reader.text(`${stops}:`, "an id");
  for (;;) {
    const inner = reader.takeWord(":has(") ? has : reader.takeWord(":is(") ? is : undefined;
    if (inner) {
      inner.push(readSteps(reader, depth + 1));
      if (!reader.take(")")) throw reader.error('a ")" is missing');
    } else if (name === undefined && text === undefined && reader.take(":")) {
      name = reader.text(stops, "a name");
    } else if (reader.take("[")) {
      const inside = readBrackets(reader);
      if (typeof inside !== "number") tests.push(inside);
      else if (index === undefined) index = inside;
      else throw reader.error(`a step has one position, and this one has [${index}] and [${inside}]`);
    } else break;
  }
  reader.skipSpace();
  const isEmpty = automationId === undefined && name === undefined && text === undefined;
  if (word === "" && isEmpty && tests.length + has.length + is.length === 0) {
    const [sign] = reader.rest;
    const isOdd = sign !== undefined && sign !== ">";
    throw reader.error(isOdd ? `a step cannot begin with ${JSON.stringify(sign)}` : "a step is empty");
  }
  return { role, isField, name, text, automationId, tests, has, is, index };
}

function needRole(reader: Reader, word: string): Role {
  const role = roleNamed(word);
  if (role) return role;
  const near = nearest(word, roles);
  throw reader.error(`"${word}" is not a role${near ? `, did you mean "${near}"?` : ""}`);
}

function readBrackets(reader: Reader): Test | number {
  const inside = reader.text("=~^$]", "something between the brackets");
  const operator = operators.find((each) => reader.take(each));
  const value = operator === undefined ? undefined : reader.text("]", "a value");
  if (!reader.take("]")) throw reader.error('a "]" is missing');
  if (/^-?\d+$/.test(inside) && operator === undefined) {
    if (Number(inside) === 0) throw reader.error("counting starts at [1], from the end at [-1]");
    return Number(inside);
  }
  const negated = inside.startsWith("!");
  const word = inside.replace("!", "").toLowerCase();
  const isDisabled = word === "disabled";
  const state = isDisabled ? "enabled" : states.find((each) => each === word);
  if (state) {
    const said = (value ?? "true").toLowerCase();
    if ((operator ?? "=") !== "=" || (said !== "true" && said !== "false"))
      throw reader.error(`a state is true or false: [${word}], [!${word}] or [${word}=false]`);
    return { state, wanted: (said === "true") !== (negated !== isDisabled) };
  }
  const field = fields.find((each) => each === inside.toLowerCase());
  if (!field) {
    const near = nearest(inside, [...fields, ...states]);
    throw reader.error(`"${inside}" is neither a field nor a state${near ? `, did you mean "${near}"?` : ""}`);
  }
  if (operator === undefined || value === undefined)
    throw reader.error(`[${inside}] needs a value, e.g. [${inside}~=text]`);
  return { field, operator, text: value };
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    this.skipSpace();
    return this.#at >= this.#text.length;
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  take(sign: string): boolean {
    this.skipSpace();
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  /** Like `take`, in any case. */
  takeWord(sign: string): boolean {
    this.skipSpace();
    if (this.#text.slice(this.#at, this.#at + sign.length).toLowerCase() !== sign) return false;
    this.#at += sign.length;
    return true;
  }

  quotedText(): string | undefined {
    this.skipSpace();
    const quote = this.#text[this.#at];
    return quote === '"' || quote === "'" ? this.#quoted(quote) : undefined;
  }

  word(): string {
    const [word = ""] = /^(\*|[A-Za-z][A-Za-z _-]*[A-Za-z]|[A-Za-z])?/.exec(this.rest) ?? [];
    this.#at += word.length;
    return word;
  }

  /** The text up to one of the stop characters, or a quoted string. */
  text(stops: string, what: string): string {
    const quoted = this.quotedText();
    if (quoted !== undefined) return quoted;
    const start = this.#at;
    const isEnd = (): boolean => stops.includes(this.#text[this.#at] as string) || /^:(?:has|is)\(/i.test(this.rest);
    while (this.#at < this.#text.length && !isEnd()) this.#at++;
    const found = this.#text.slice(start, this.#at).trim();
    if (found === "") throw this.error(`${what} is missing`);
    return found;
  }

  #quoted(quote: string): string {
    let found = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const sign = this.#text[this.#at] as string;
      if (sign === quote) {
        this.#at++;
        return found;
      }
      if (sign === "\\" && this.#at + 1 < this.#text.length) this.#at++;
      found += this.#text[this.#at];
    }
    throw this.error(`the quote ${quote} is not closed`);
  }

  error(problem: string): ToolError {
    return new ToolError(
      "invalid_argument",
      `The selector "${this.#text}" is not understood at ${this.#at + 1}: ${problem}${problem.endsWith("?") ? "" : "."}`,
      {
        hint: 'Examples: Button:Submit, TextBox:"Full name", #save, Dialog[name~=Save] > Button:OK, CheckBox[checked], Button:Delete[2], Row:has("Ann") > Button:Delete.',
      },
    );
  }
}

/**
 * The matching elements, in tree order. Names and texts must match fully (ignoring case); if nothing does, a partial
 * match is enough.
 */
export function selectNodes(nodes: readonly UiNode[], steps: readonly Step[]): readonly UiNode[] {
  const wanted = steps.map(foldStep);
  const exact = walk(nodes, wanted, sameText);
  return exact.length > 0 ? exact : walk(nodes, wanted, hasText);
}

const foldStep = (step: Step): Step => ({
  ...step,
  name: step.name === undefined ? undefined : foldText(step.name),
  text: step.text === undefined ? undefined : foldText(step.text),
  tests: step.tests.map((test) => ("state" in test ? test : { ...test, text: foldText(test.text) })),
});

type NameTest = (own: string, wanted: string) => boolean;
const sameText: NameTest = (own, wanted) => own === wanted;
const hasText: NameTest = (own, wanted) => own.includes(wanted);

function walk(nodes: readonly UiNode[], steps: readonly Step[], nameFits: NameTest): readonly UiNode[] {
  let inside: ReadonlySet<string> | undefined;
  let found: readonly UiNode[] = [];
  for (const step of steps) {
    const scope: ReadonlySet<string> | undefined = inside;
    const candidates = scope ? descendants(nodes, scope) : nodes;
    const matches = narrow(
      nodes,
      candidates.filter((node) => fits(node, step, nameFits)),
      step,
    );
    found = step.index === undefined ? matches : atIndex(nodes, matches, step);
    inside = new Set(found.map(({ runtimeId }) => runtimeId));
  }
  return found;
}

/** Those that contain, and are, what the step asks for besides. */
function narrow(nodes: readonly UiNode[], matches: readonly UiNode[], { has, is }: Step): readonly UiNode[] {
  const contains = (node: UiNode, inner: readonly Step[]): boolean => {
    const inside = descendants(nodes, new Set([node.runtimeId]));
    // A text is in it, whether it says it itself or something inside does.
    const isText = inner.length === 1 && inner[0]?.text !== undefined;
    return selectNodes(isText ? [node, ...inside] : inside, inner).length > 0;
  };
  const alike = is.map((inner) => new Set(selectNodes(nodes, inner)));
  return matches.filter((node) => alike.every((same) => same.has(node)) && has.every((inner) => contains(node, inner)));
}

/** A text is also on the elements around the one that shows it; they count once. */
function atIndex(nodes: readonly UiNode[], matches: readonly UiNode[], { text, index = 1 }: Step): readonly UiNode[] {
  const counted = text === undefined ? matches : essential(nodes, matches);
  const one = counted.at(index > 0 ? index - 1 : index);
  return one ? [one] : [];
}

function descendants(nodes: readonly UiNode[], roots: ReadonlySet<string>): readonly UiNode[] {
  const below = new Set<string>();
  return nodes.filter(({ runtimeId, parent }) => {
    const isBelow = parent !== undefined && (roots.has(parent) || below.has(parent));
    if (isBelow) below.add(runtimeId);
    return isBelow;
  });
}

function fits(node: UiNode, step: Step, nameFits: NameTest): boolean {
  return (
    (step.role === undefined || isRole(node.role, step.role)) &&
    (step.isField !== true || isField(node)) &&
    (step.automationId === undefined || node.automationId === step.automationId) &&
    (step.name === undefined || nameFits(foldText(node.name), step.name)) &&
    (step.text === undefined || isShown(node, step.text, nameFits)) &&
    step.tests.every((test) => passes(node, test))
  );
}

const fieldRoles: ReadonlySet<string> = new Set([
  "textbox",
  "combobox",
  "spinbutton",
  "slider",
  "checkbox",
  "radio",
  "switch",
]);

const isField = ({ role, states }: UiNode): boolean => fieldRoles.has(role) || states.includes("editable");

// The title of a window is seen, but nobody who names a text means the whole window.
const isFrame = ({ role }: UiNode): boolean => role === "application" || role === "window";

const isShown = (node: UiNode, wanted: string, nameFits: NameTest): boolean =>
  !isFrame(node) && textsOf(node).some((text) => nameFits(foldText(text), wanted));

const textsOf = ({ name, value, description }: UiNode): readonly string[] => [
  name,
  String(value ?? ""),
  description ?? "",
];

function passes(node: UiNode, test: Test): boolean {
  if ("state" in test) return node.states.includes(test.state) === test.wanted;
  const { field, operator, text } = test;
  const all = field === "text" ? textsOf(node) : [fieldOf(node, field)];
  return all.some((own) => compare(foldText(own), operator, text));
}

function compare(own: string, operator: Operator, wanted: string): boolean {
  switch (operator) {
    case "=":
      return own === wanted;
    case "~=":
      return own.includes(wanted);
    case "^=":
      return own.startsWith(wanted);
    case "$=":
      return own.endsWith(wanted);
  }
}

function fieldOf(node: UiNode, field: Exclude<Field, "text">): string {
  switch (field) {
    case "name":
    case "title":
      return node.name;
    case "value":
      return String(node.value ?? "");
    case "description":
      return node.description ?? "";
    case "placeholder":
      return node.placeholder ?? "";
    case "id":
      return node.automationId ?? "";
    case "role":
      return node.role;
  }
}
