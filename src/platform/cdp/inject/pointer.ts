/// <reference lib="dom" />
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";

export type Aimed =
  | { readonly at: [x: number, y: number]; readonly isMoving: boolean }
  | { readonly problem: "gone" | "hidden" | "closed" | "disabled" | "moving" | "outside" }
  | { readonly problem: "covered"; readonly by: string };

export type Pointing = ReturnType<typeof makePointing>;

/** Finds a point of an element that a click really reaches, and guards the click. */
export function makePointing(dom: Dom, describe: Describe) {
  const frame = (): Promise<void> =>
    new Promise((resolve) => {
      // A page that is not visible may get no animation frames.
      const timer = setTimeout(resolve, 60);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  const rectsOf = (element: Element): DOMRect[] => {
    const all = Array.from(element.getClientRects()).filter(({ width, height }) => width > 0 && height > 0);
    if (all.length > 0) return all;
    const rects: DOMRect[] = [];
    for (const child of Array.from(element.children)) rects.push(...rectsOf(child));
    return rects.slice(0, 8);
  };

  const inView = ({ x, y, width, height }: DOMRect): boolean =>
    x + width / 2 >= 0 && y + height / 2 >= 0 && x + width / 2 < innerWidth && y + height / 2 < innerHeight;

  const reaches = (hit: Element | undefined, target: Element): boolean => {
    if (!hit) return false;
    if (dom.isInside(hit, target)) return true;
    // A label passes the click on to its field.
    for (let each: Element | undefined = hit; each; each = dom.parentOf(each)) {
      if (each instanceof HTMLLabelElement && each.control === target) return true;
    }
    const labelled = target instanceof HTMLLabelElement ? target.control : undefined;
    if (labelled && hit === labelled) return true;
    // An area is drawn by its image.
    const map = target.closest("map");
    return (
      target.localName === "area" &&
      map !== null &&
      hit.localName === "img" &&
      (hit as HTMLImageElement).useMap === `#${map.name}`
    );
  };

  const pointsOf = (element: Element): [number, number][] => {
    const points: [number, number][] = [];
    const rects = rectsOf(element);
    for (const { x, y, width, height } of rects) points.push([x + width / 2, y + height / 2]);
    for (const { x, y, width, height } of rects) {
      for (const [across, down] of [
        [0.25, 0.5],
        [0.75, 0.5],
        [0.5, 0.2],
        [0.5, 0.8],
        [0.08, 0.5],
        [0.92, 0.5],
      ] as const) {
        points.push([x + width * across, y + height * down]);
      }
    }
    return points.filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
  };

  const free = (element: Element): { at: [number, number] } | { by: Element | undefined } => {
    let by: Element | undefined;
    for (const [x, y] of pointsOf(element)) {
      const hit = dom.deepFromPoint(x, y);
      if (reaches(hit, element)) return { at: [x, y] };
      by = by || hit;
    }
    return { by };
  };

  const sameRect = (a: DOMRect, b: DOMRect): boolean =>
    a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

  const aim = async (id: number, options: { still: number; force: boolean; guard: boolean }): Promise<Aimed> => {
    const aimed = await findPoint(id, options);
    if (options.guard && "at" in aimed) guard(id);
    return aimed;
  };

  const findPoint = async (id: number, options: { still: number; force: boolean }): Promise<Aimed> => {
    const element = dom.element(id);
    if (!element) return { problem: "gone" };
    const unseen = element.localName === "option" ? "closed" : "hidden";
    if (!dom.isShown(element) && rectsOf(element).length === 0 && unseen === "hidden") return { problem: unseen };
    if (!options.force && describe.isDisabled(element)) return { problem: "disabled" };
    const rects = rectsOf(element);
    if (rects.length === 0) return { problem: unseen };
    let scrolled = false;
    if (!rects.some(inView)) {
      element.scrollIntoView({ behavior: "instant" as ScrollBehavior, block: "center", inline: "center" });
      scrolled = true;
    }
    const until = performance.now() + 1_000;
    let before = element.getBoundingClientRect();
    let still = 0;
    let common = before;
    let looks = 0;
    while (still < options.still) {
      await frame();
      if (!element.isConnected) return { problem: "gone" };
      const now = element.getBoundingClientRect();
      still = sameRect(before, now) ? still + 1 : 0;
      common = still > 0 || looks === 0 ? now : meet(common, now);
      before = now;
      looks++;
      if (performance.now() > until) {
        // It never comes to rest. A point that was on it all the time is still good.
        const x = common.x + common.width / 2;
        const y = common.y + common.height / 2;
        if (common.width < 8 || common.height < 8 || !reaches(dom.deepFromPoint(x, y), element))
          return { problem: "moving" };
        return { at: [x, y], isMoving: true };
      }
    }
    let found = free(element);
    if (!("at" in found) && !scrolled) {
      // Something fixed may cover the edge of the page, but not the middle.
      element.scrollIntoView({ behavior: "instant" as ScrollBehavior, block: "center", inline: "center" });
      await frame();
      found = free(element);
    }
    if ("at" in found) return { at: found.at, isMoving: false };
    if (pointsOf(element).length === 0) return { problem: "outside" };
    return { problem: "covered", by: found.by ? coverName(found.by) : "something" };
  };

  const meet = (a: DOMRect, b: DOMRect): DOMRect => {
    const x = Math.max(a.x, b.x);
    const y = Math.max(a.y, b.y);
    return new DOMRect(
      x,
      y,
      Math.max(0, Math.min(a.right, b.right) - x),
      Math.max(0, Math.min(a.bottom, b.bottom) - y),
    );
  };

  const coverName = (element: Element): string => {
    const dialog = element.closest("dialog,[role=dialog],[role=alertdialog],[aria-modal=true]");
    const named = dialog || element;
    if (dom.isHiddenFrame(named)) return describe.titleOf(named);
    const id = dom.idAttribute(named);
    const kind =
      typeof named.className === "string" && named.className !== "" ? `.${named.className.split(/\s+/)[0]}` : "";
    return `${describe.titleOf(named)} <${named.localName}${id === "" ? kind : `#${id}`}>`;
  };

  // --- the guard --------------------------------------------------------------------------------------------

  const pressEvents = [
    "pointerdown",
    "mousedown",
    "pointerup",
    "mouseup",
    "click",
    "dblclick",
    "auxclick",
    "contextmenu",
  ];
  let guarded: { target: Element | undefined; arrived: number; strayed: string | undefined } | undefined;

  const hitOf = (event: MouseEvent): Element | undefined => {
    const [first] = event.composedPath();
    let hit = first instanceof Element ? first : undefined;
    for (let root = hit && dom.shadowOf(hit); hit && root; root = dom.shadowOf(hit)) {
      const inner = root.elementFromPoint(event.clientX, event.clientY);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit;
  };

  /** Stops a press that reaches another element than the intended one before the page sees it. */
  const onPress = (event: Event): void => {
    const watch = guarded;
    if (!watch || !event.isTrusted) return;
    const starts = event.type === "pointerdown" || event.type === "mousedown";
    if (starts && watch.strayed === undefined) {
      const hit = hitOf(event as MouseEvent);
      if (watch.target && reaches(hit, watch.target)) watch.arrived++;
      else watch.strayed = hit ? coverName(hit) : "something else";
    }
    if (watch.strayed !== undefined) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  const guard = (id: number | undefined): void => {
    const set = { target: id === undefined ? undefined : dom.element(id), arrived: 0, strayed: undefined };
    guarded = set;
    // A dialog may prevent us from removing the guard; the person's own clicks must not be affected.
    setTimeout(() => {
      if (guarded === set) guarded = undefined;
    }, 2_000);
  };
  for (const type of pressEvents) addEventListener(type, onPress, { capture: true });

  return {
    aim,
    frame,
    reaches,
    coverName,
    /** What covers the frame element at this point of its parent, or "outside"; undefined when nothing does. */
    coverOf: (id: number, x: number, y: number): string | undefined => {
      if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return "outside";
      const element = dom.element(id);
      const hit = dom.deepFromPoint(x, y);
      return element && hit && !reaches(hit, element) ? coverName(hit) : undefined;
    },
    guard,
    unguard: (): { arrived: number; strayed?: string | undefined } | undefined => {
      const result = guarded && { arrived: guarded.arrived, strayed: guarded.strayed };
      guarded = undefined;
      return result;
    },
  };
}
