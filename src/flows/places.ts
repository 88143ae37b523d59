import { ToolError } from "../base/errors.ts";
import type { Arguments, Called, Caller } from "../tools/caller.ts";
import { readStepTarget, wordsOf, type Named, type StepTarget } from "../tools/steps.ts";

/** Where a step acts, and how it gets at the tools. */
export interface Scene {
  readonly call: Caller;
  readonly surface: string;
  /** Part of the title of the window that the step is about. */
  readonly window: string | undefined;
  /** How long to wait for a target. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Element = NonNullable<Called<"wait_for">["data"]["element"]>;

/** The surface as tools take it: the desktop is where they act anyway. */
export const onSurface = ({ surface }: Pick<Scene, "surface">): Arguments => (surface === "desktop" ? {} : { surface });

/** The window that the target or its step names. */
const inWindow = ({ window }: Pick<Named, "window">, scene: Scene): Arguments => {
  const title = window ?? scene.window;
  return title === undefined ? {} : { window_title: title };
};

/** How a tool that clicks or hovers takes the target. */
export async function placeArguments(target: StepTarget, scene: Scene): Promise<Arguments> {
  const named = readStepTarget(target);
  const window = inWindow(named, scene);
  switch (named.form) {
    case "region":
      return regionArguments(named.region);
    case "point":
      return pointArguments(named, scene);
    case "image":
      return imageArguments(named.image, window, scene);
    case "window":
      throw new ToolError("invalid_argument", "A window is no place to click.");
    case "element": {
      const { element } = named;
      if (element.form === "element") return { uid: element.ref };
      const within = { within: element.within, ...window };
      if (element.form === "selector") return { selector: element.selector, ...within };
      return element.isField ? { uid: (await resolve(target, scene)).uid } : { text: element.text, ...within };
    }
  }
}

/** How type_text takes the field. */
export function fieldArguments(target: StepTarget, scene: Scene): Arguments {
  const named = readStepTarget(target);
  const window = inWindow(named, scene);
  if (named.form === "region") return regionArguments(named.region);
  if (named.form !== "element") throw new ToolError("invalid_argument", `Text cannot be typed into a ${named.form}.`);
  const { element } = named;
  if (element.form === "element") return { uid: element.ref };
  const within = { within: element.within, ...window };
  return element.form === "selector" ? { selector: element.selector, ...within } : { into: element.text, ...within };
}

export const windowArguments = (scene: Scene): Arguments => inWindow({}, scene);

const regionArguments = (region: number | string): Arguments =>
  typeof region === "number" ? { region } : { region_id: region };

/** The one element that the target names, as soon as it is there and enabled. */
export async function resolve(
  target: StepTarget,
  scene: Scene,
  state: "enabled" | "visible" = "enabled",
): Promise<Element> {
  const named = readStepTarget(target);
  if (named.form === "region") throw new ToolError("invalid_argument", "A region has no state; name the element.");
  const { element, candidates } = await awaitTarget(target, scene, state);
  if (candidates) {
    throw new ToolError("ambiguous_target", `${candidates.length} elements fit ${wordsOf(target)}.`, {
      hint: "Narrow it with role, nth, within or window, or give the uid of one.",
      candidates,
    });
  }
  if (element) return element;
  throw new ToolError("not_found", `No element fits ${wordsOf(target)}.`, {
    hint: "Only its text was read in the picture.",
  });
}

/** Waits until the target is there. */
export async function awaitTarget(
  target: StepTarget,
  scene: Scene,
  state: "enabled" | "visible",
): Promise<Called<"wait_for">["data"]> {
  const args = { ...onSurface(scene), ...windowArguments(scene) };
  const { data } = await scene.call("wait_for", { expect: { [state]: target }, timeout_ms: scene.timeoutMs, ...args });
  return data;
}

/** Percentages count from the window that the step names, else the active one; on a page or device, from all of it. */
async function pointArguments({ x, y, window }: Extract<Named, { form: "point" }>, scene: Scene): Promise<Arguments> {
  const isPart = x.endsWith("%") || y.endsWith("%");
  if (!isPart) return { x: Number(x), y: Number(y), ...inWindow({ window }, scene) };
  const area = await areaOf(window ?? scene.window, scene);
  const at = (value: string, start: number, size: number): number =>
    Math.round(value.endsWith("%") ? start + (size * Number(value.slice(0, -1))) / 100 : start + Number(value));
  return { x: at(x, area.x, area.width - 1), y: at(y, area.y, area.height - 1) };
}

/** What can be in view: all displays, or the part of a page that its window shows. */
export async function screenOf(scene: Scene) {
  const { data } = await scene.call("list_displays", onSurface(scene));
  return data.screen;
}

async function areaOf(title: string | undefined, scene: Scene) {
  if (scene.surface !== "desktop") return screenOf(scene);
  const { data } = await scene.call("list_windows", {});
  const wanted = title?.toLowerCase();
  const window = data.windows.find((each) =>
    wanted === undefined ? each.is_foreground : each.title.toLowerCase().includes(wanted),
  );
  if (window) return window.bounds;
  throw new ToolError(
    "not_found",
    title === undefined ? "No window is active." : `No window matches ${JSON.stringify(title)}.`,
  );
}

async function imageArguments(image: string, window: Arguments, scene: Scene): Promise<Arguments> {
  const { data } = await scene.call("find_image", { template_id: image, ...window, ...onSurface(scene) });
  const [first, ...others] = data.matches;
  if (!first) throw new ToolError("not_found", `The picture ${JSON.stringify(image)} is not on the screen.`);
  if (others.length > 0)
    throw new ToolError(
      "ambiguous_target",
      `The picture ${JSON.stringify(image)} is there ${others.length + 1} times.`,
      {
        candidates: [first, ...others].slice(0, 10).map(({ screen_x: x, screen_y: y }) => `at ${x},${y}`),
      },
    );
  return { x: first.screen_x, y: first.screen_y };
}
