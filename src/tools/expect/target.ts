import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { parseSelector } from "../../surface/selector.ts";
import type { NamedElement } from "../../surface/target.ts";
import { closed } from "../closed.ts";

const words = z.string().min(1).max(500);
const ref = /^[adn]\d+(?:g\d+)?$/;

/** Every field that names a place or narrows it. */
export const targetShape = {
  role: z.string().min(1).max(40).optional(),
  name: words.optional(),
  id: words.optional().describe("Automation id"),
  uid: z.string().regex(ref, "must be a uid such as a12g3").optional(),
  selector: z.string().min(1).max(1_000).optional(),
  label: words.optional().describe("Name of a field"),
  text: words.optional().describe("Shown on an element, or in the picture"),
  region: z
    .union([z.int().min(1), z.string().min(1).max(40)])
    .optional()
    .describe("Numbered by mark_regions"),
  image: words.optional().describe("From load_image"),
  point: z
    .string()
    .regex(/^-?\d+(?:\.\d+)?%?\s*,\s*-?\d+(?:\.\d+)?%?$/, 'must be like "640,210" or "50%,50%"')
    .optional(),
  within: z
    .union([words, closed({ role: words.optional(), name: words.optional(), id: words.optional() })])
    .optional()
    .describe("A uid, a selector or {role, name}"),
  nth: z.int().min(1).max(10_000).optional(),
  enabled: z.boolean().optional(),
  checked: z.boolean().optional(),
  selected: z.boolean().optional(),
  focused: z.boolean().optional(),
  window: words.optional().describe("Part of the title"),
  surface: z.string().max(60).optional(),
};

const place = closed(targetShape);

type Place = z.infer<typeof place>;

/** How a step or an expectation says where: a text, or an object with one way to name it. */
export const stepTarget = z.union([words, place]).superRefine((value, context) => {
  try {
    readStepTarget(value);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    context.addIssue({ code: "custom", message: [error.message, error.details.hint].filter(Boolean).join(" ") });
  }
});
export type StepTarget = string | Place;

/** The one way in which a target names its place. */
export type Named = (
  | { readonly form: "element"; readonly element: NamedElement }
  | { readonly form: "region"; readonly region: number | string }
  | { readonly form: "image"; readonly image: string }
  | { readonly form: "point"; readonly x: string; readonly y: string }
  | { readonly form: "window" }
) & { readonly window?: string | undefined; readonly surface?: string | undefined };

const forms = ["uid", "selector", "label", "text", "region", "image", "point"] as const;
const states = ["enabled", "checked", "selected", "focused"] as const;

export function readStepTarget(target: StepTarget): Named {
  if (typeof target === "string") return { form: "element", element: { form: "text", text: target } };
  const { window, surface } = target;
  const where = { ...(window === undefined ? {} : { window }), ...(surface === undefined ? {} : { surface }) };
  const described = target.role !== undefined || target.name !== undefined || target.id !== undefined;
  const given = [...(described ? ["role, name or id"] : []), ...forms.filter((form) => target[form] !== undefined)];
  if (given.length > 1) throw bad(`A target is named in several ways: ${given.join(" and ")}.`, "Use one.");
  const narrowed = ["nth", ...states].filter((field) => target[field as "nth"] !== undefined);
  if (narrowed.length > 0 && !described) {
    throw bad(`${narrowed.join(", ")} need role, name or id.`, "A selector says it itself: Button:Delete[enabled][2].");
  }
  if (target.within !== undefined && !described && target.selector === undefined && !isRef(target.within)) {
    throw bad("within a role or selector needs role, name, id or selector.", "Give the uid of the element to look in.");
  }
  if (described) return { form: "element", element: ofSelector(describe(target), target.within), ...where };
  const { uid, selector, label, text, region, image, point } = target;
  const within = isRef(target.within) ? { within: target.within } : {};
  if (uid !== undefined) return { form: "element", element: { form: "element", ref: uid }, ...where };
  if (selector !== undefined) return { form: "element", element: ofSelector(selector, target.within), ...where };
  if (label !== undefined) {
    return { form: "element", element: { form: "text", text: label, isField: true, ...within }, ...where };
  }
  if (text !== undefined) return { form: "element", element: { form: "text", text, ...within }, ...where };
  if (region !== undefined) return { form: "region", region, ...where };
  if (image !== undefined) return { form: "image", image, ...where };
  if (point !== undefined) {
    const [x = "", y = ""] = point.split(",").map((part) => part.trim());
    return { form: "point", x, y, ...where };
  }
  if (window !== undefined) return { form: "window", ...where };
  throw bad("The target names nothing.", `Use a text, or one of role, name, id, ${forms.join(", ")}, window.`);
}

const bad = (message: string, hint: string): ToolError => new ToolError("invalid_argument", message, { hint });

const isRef = (within: Place["within"]): within is string => typeof within === "string" && ref.test(within);

function ofSelector(selector: string, within: Place["within"]): NamedElement {
  const outer =
    within === undefined || isRef(within) ? undefined : typeof within === "string" ? within : describe(within);
  const whole = outer === undefined ? selector : `${outer} > ${selector}`;
  parseSelector(whole);
  return { form: "selector", selector: whole, ...(isRef(within) ? { within } : {}) };
}

/** The same as a selector, which knows roles, ids, names, states and positions. */
function describe(
  target: Pick<Place, "role" | "name" | "id"> & Partial<Pick<Place, "nth" | (typeof states)[number]>>,
): string {
  const tests = states.flatMap((state) => {
    const wanted = target[state];
    return wanted === undefined ? [] : [`[${wanted ? "" : "!"}${state}]`];
  });
  return [
    target.role ?? "*",
    target.id === undefined ? "" : `#${quote(target.id)}`,
    target.name === undefined ? "" : `:${quote(target.name)}`,
    ...tests,
    target.nth === undefined ? "" : `[${target.nth}]`,
  ].join("");
}

const quote = (text: string): string => `"${text.replaceAll(/[\\"]/g, "\\$&")}"`;

/** A target in words, for answers. */
export function wordsOf(target: StepTarget): string {
  if (typeof target === "string") return JSON.stringify(target);
  const { window, surface: _, ...rest } = target;
  const [[only, value] = ["", ""], ...more] = Object.entries(rest);
  if (only === "") return `window ${JSON.stringify(window)}`;
  if (more.length === 0 && typeof value === "string")
    return only === "text" ? JSON.stringify(value) : `${only} ${JSON.stringify(value)}`;
  const { role, name, ...others } = rest;
  const head = [role, name === undefined ? undefined : JSON.stringify(name)].filter((part) => part !== undefined);
  const tail = Object.entries(others).map(([field, each]) => `${field} ${JSON.stringify(each)}`);
  return [...head, ...tail].join(" ");
}
