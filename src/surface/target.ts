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

/** The window or app named with the target. A target in another one is refused, never acted on. */
const window = windowQuery.optional();

/** Where to look for an element: a window or app, and below which element. */
const within = { window, within: z.string().optional() };

/** Moves a point that is outside to the nearest edge instead of refusing it. */
const clamp = z.boolean().optional();

const elementTargets = [
  z.strictObject({ form: z.literal("element"), ref: z.string(), window }).readonly(),
  z.strictObject({ form: z.literal("selector"), selector: z.string(), ...within }).readonly(),
  /** `isField`: prefer the field with this name over the label beside it. */
  z.strictObject({ form: z.literal("text"), text: z.string(), isField: z.boolean().optional(), ...within }).readonly(),
  z.strictObject({ form: z.literal("stable id"), stableId: z.string(), window }).readonly(),
] as const;

const pointTargets = [
  z.strictObject({ form: z.literal("screen point"), point, clamp, window }).readonly(),
  /** The device checks whether the point is on the display when it is touched. */
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

/** Where to act, as a caller says it. Plain data, so that a step list or a file can hold it. */
export const targetSchema = z.union([...elementTargets, regionTarget, ...pointTargets]);

export type ElementTarget = z.infer<(typeof elementTargets)[number]>;
/** A ref, a selector or a text: targets that need only the tree. */
export type NamedElement = Exclude<ElementTarget, { readonly form: "stable id" }>;
export type PointTarget = z.infer<(typeof pointTargets)[number]>;
export type Target = z.infer<typeof targetSchema>;
