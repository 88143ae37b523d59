import { quoteInSelector } from "../tools/schema.ts";

/** States that an element can be asked to have, or not to have. */
export interface StateOptions {
  readonly enabled?: boolean;
  readonly checked?: boolean;
  readonly expanded?: boolean;
  readonly focused?: boolean;
  readonly pressed?: boolean;
  readonly selected?: boolean;
}

export interface NameOptions {
  /** The whole name, not a part of it. Without it a whole match wins over partial ones. Case never counts. */
  readonly exact?: boolean;
}

export interface RoleOptions extends NameOptions, StateOptions {
  /** The accessible name. */
  readonly name?: string;
}

/** How elements are named, as steps of one selector. */
export interface Path {
  readonly steps: readonly string[];
  /** The last step has a position; whatever follows applies to the one element there. */
  readonly isAt: boolean;
  /** The path is only this text, which may also be read in the picture. */
  readonly text?: string;
}

export const selectorOf = ({ steps }: Path): string => steps.join(" > ");

export const pathOf = (step: string): Path => ({ steps: [step], isAt: false });

export const below = ({ steps }: Path, inner: Path): Path => ({ steps: [...steps, ...inner.steps], isAt: inner.isAt });

const quote = quoteInSelector;

const states = ["enabled", "checked", "expanded", "focused", "pressed", "selected"] as const;

export function byRole(role: string, { name, exact = false, ...wanted }: RoleOptions): Path {
  const named = name === undefined ? "" : exact ? `[name=${quote(name)}]` : `:${quote(name)}`;
  const tests = states.map((state) => (wanted[state] === undefined ? "" : `[${wanted[state] ? "" : "!"}${state}]`));
  return pathOf(`${role}${named}${tests.join("")}`);
}

export const byText = (text: string, { exact = false }: NameOptions): Path =>
  exact ? pathOf(`*[text=${quote(text)}]`) : { ...pathOf(quote(text)), text };

export const byLabel = (label: string, { exact = false }: NameOptions): Path =>
  pathOf(exact ? `Field[name=${quote(label)}]` : `Field:${quote(label)}`);

export const byPlaceholder = (text: string, { exact = false }: NameOptions): Path =>
  pathOf(`*[placeholder${exact ? "=" : "~="}${quote(text)}]`);

export const byTestId = (id: string): Path => pathOf(`#${quote(id)}`);

/** The path with something added to its last step. */
function add(path: Path, addition: string): Path {
  if (path.isAt) return pathOf(`*:is(${selectorOf(path)})${addition}`);
  const [last = "*", ...before] = path.steps.toReversed();
  return { steps: [...before.toReversed(), `${last}${addition}`], isAt: false };
}

/** The element at a position, 0 being the first and -1 the last. */
export const at = (path: Path, index: number): Path => ({
  ...add(path, `[${index < 0 ? index : index + 1}]`),
  isAt: true,
});

export const having = (path: Path, inner: Path): Path => add(path, `:has(${selectorOf(inner)})`);

export const and = (path: Path, other: Path): Path => add(path, `:is(${selectorOf(other)})`);

export const inState = (path: Path, state: string, wanted: boolean): Path =>
  add(path, `[${wanted ? "" : "!"}${state}]`);
