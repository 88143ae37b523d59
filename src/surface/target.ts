import { z } from "zod";

const point = z.strictObject({ x: z.number(), y: z.number() }).readonly();

const windowQuery = z
  .strictObject({
    windowId: z.number().optional(),
    title: z.string().optional(),
    appName: z.string().optional(),
    pid: z.number().optional(),
  })
  .readonly();

/** The window or app that the caller names along with it. What is in another one is refused, never acted on. */
const window = windowQuery.optional();

/** Where an element is looked for: a window or app, and below which element. */
const within = { window, within: z.string().optional() };

/** A point outside is moved to the nearest edge instead of refused. */
const clamp = z.boolean().optional();

const elementTargets = [
  z.strictObject({ form: z.literal("element"), ref: z.string(), window }).readonly(),
  z.strictObject({ form: z.literal("selector"), selector: z.string(), ...within }).readonly(),
  /** `isField`: of what has the name, the field is meant and not the label beside it. */
  z.strictObject({ form: z.literal("text"), text: z.string(), isField: z.boolean().optional(), ...within }).readonly(),
  z.strictObject({ form: z.literal("stable id"), stableId: z.string(), window }).readonly(),
] as const;

const pointTargets = [
  z.strictObject({ form: z.literal("screen point"), point, clamp, window }).readonly(),
  /** Whether it is on the display is looked at by the device when it is touched. */
  z.strictObject({ form: z.literal("display point"), displayId: z.number().optional(), point, window }).readonly(),
  z.strictObject({ form: z.literal("window pixel"), windowId: z.number(), pixel: point, clamp, window }).readonly(),
  z.strictObject({ form: z.literal("window point"), windowId: z.number(), point, clamp, window }).readonly(),
  z.strictObject({ form: z.literal("frame pixel"), frameId: z.string(), pixel: point, clamp, window }).readonly(),
  z
    .strictObject({ form: z.literal("placed pixel"), origin: point, scale: z.number(), pixel: point, clamp, window })
    .readonly(),
] as const;

const regionTarget = z
  .strictObject({ form: z.literal("region"), region: z.union([z.number(), z.string()]), window })
  .readonly();

/** Where to act, in the words of a caller: plain data, so that a step list or a file can hold it. */
export const targetSchema = z.union([...elementTargets, regionTarget, ...pointTargets]);

export type ElementTarget = z.infer<(typeof elementTargets)[number]>;
/** A ref, a selector or a text: what needs no more than the tree. */
export type NamedElement = Exclude<ElementTarget, { readonly form: "stable id" }>;
export type PointTarget = z.infer<(typeof pointTargets)[number]>;
export type Target = z.infer<typeof targetSchema>;
