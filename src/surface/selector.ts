import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { NodeState, UiNode } from "../base/node.ts";
import { foldText } from "../base/match-text.ts";
import { isRole, roleNamed, roles, type Role } from "../base/roles.ts";

/**
 * `Button:Submit` · `TextBox:"User > name"` · `#save-button` · `Window[title~=Editor] > Button:Save` ·
 * `CheckBox[checked]` · `Button:Delete[2]`. A step after `>` is anywhere inside the one before it.
 */
export interface Step {
  readonly role?: Role | undefined;
  readonly name?: string | undefined;
  readonly automationId?: string | undefined;
  readonly tests: readonly Test[];
  /** 1 for the first of several matches. */
  readonly index?: number | undefined;
}

const fields = ["name", "title", "value", "description", "id", "role"] as const;
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
  const steps: Step[] = [];
  do steps.push(readStep(reader));
  while (reader.take(">"));
  if (!reader.done) throw reader.error(`unexpected "${reader.rest}"`);
  return steps;
}

function readStep(reader: Reader): Step {
  reader.skipSpace();
  const word = reader.word();
  const role = word === "" || word === "*" ? undefined : needRole(reader, word);
  let automationId: string | undefined;
  let name: string | undefined;
  if (reader.take("#")) automationId = reader.text("[>:", "an id");
  if (reader.take(":")) name = reader.text("[>", "a name");
  const tests: Test[] = [];
  let index: number | undefined;
  while (reader.take("[")) {
    const inside = readBrackets(reader);
    if (typeof inside !== "number") tests.push(inside);
    else if (index === undefined) index = inside;
    else throw reader.error(`a step has one position, and this one has [${index}] and [${inside}]`);
  }
  reader.skipSpace();
  if (word === "" && automationId === undefined && name === undefined && tests.length === 0) {
    const [sign] = reader.rest;
    const isOdd = sign !== undefined && sign !== ">";
    throw reader.error(isOdd ? `a step cannot begin with ${JSON.stringify(sign)}` : "a step is empty");
  }
  return { role, name, automationId, tests, index };
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
  if (/^\d+$/.test(inside) && operator === undefined) {
    if (Number(inside) < 1) throw reader.error("counting starts at [1]");
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

  word(): string {
    const [word = ""] = /^(\*|[A-Za-z][A-Za-z _-]*[A-Za-z]|[A-Za-z])?/.exec(this.rest) ?? [];
    this.#at += word.length;
    return word;
  }

  /** The text up to one of the stop characters, or a quoted string. */
  text(stops: string, what: string): string {
    this.skipSpace();
    const quote = this.#text[this.#at];
    if (quote === '"' || quote === "'") return this.#quoted(quote);
    const start = this.#at;
    while (this.#at < this.#text.length && !stops.includes(this.#text[this.#at] as string)) this.#at++;
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
        hint: 'Examples: Button:Submit, TextBox:"Full name", #save, Dialog[name~=Save] > Button:OK, CheckBox[checked], Button:Delete[2].',
      },
    );
  }
}

/**
 * The matching elements, in tree order. Names must match fully (ignoring case); if nothing does, a partial match is
 * enough.
 */
export function selectNodes(nodes: readonly UiNode[], steps: readonly Step[]): readonly UiNode[] {
  const wanted = steps.map(foldStep);
  const exact = walk(nodes, wanted, sameText);
  return exact.length > 0 ? exact : walk(nodes, wanted, hasText);
}

const foldStep = (step: Step): Step => ({
  ...step,
  name: step.name === undefined ? undefined : foldText(step.name),
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
    const matches = candidates.filter((node) => fits(node, step, nameFits));
    found = step.index === undefined ? matches : matches.slice(step.index - 1, step.index);
    inside = new Set(found.map(({ runtimeId }) => runtimeId));
  }
  return found;
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
    (step.automationId === undefined || node.automationId === step.automationId) &&
    (step.name === undefined || nameFits(foldText(node.name), step.name)) &&
    step.tests.every((test) => passes(node, test))
  );
}

function passes(node: UiNode, test: Test): boolean {
  if ("state" in test) return node.states.includes(test.state) === test.wanted;
  const own = foldText(fieldOf(node, test.field));
  const wanted = test.text;
  switch (test.operator) {
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

function fieldOf(node: UiNode, field: Field): string {
  switch (field) {
    case "name":
    case "title":
      return node.name;
    case "value":
      return String(node.value ?? "");
    case "description":
      return node.description ?? "";
    case "id":
      return node.automationId ?? "";
    case "role":
      return node.role;
  }
}
