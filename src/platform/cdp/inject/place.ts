/// <reference lib="dom" />

import type { Dom } from "./dom.ts";

export interface Measured {
  readonly screenX: number;
  readonly screenY: number;
  readonly outerWidth: number;
  readonly outerHeight: number;
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly ratio: number;
  /** Where a real pointer was, on the screen and in the page, with the window at its current place. */
  readonly heard?: [number, number, number, number] | undefined;
}

export type Placing = ReturnType<typeof makePlacing>;

/** Where the page is: its window, its scroll position, the pointer's position on the screen. */
export function makePlacing(dom: Dom) {
  /** Where the last event of a real pointer was, on the screen and in the page, and where the window was then. */
  let heard:
    | { readonly screen: [number, number]; readonly page: [number, number]; readonly window: string }
    | undefined;
  const windowNow = (): string => [screenX, screenY, outerWidth, outerHeight, innerWidth, innerHeight].join();
  const hear = (event: Event): void => {
    const { screenX: x, screenY: y, clientX, clientY, isTrusted } = event as MouseEvent;
    // In some engines events sent to the page have no screen position.
    if (isTrusted && (x !== clientX || y !== clientY))
      heard = { screen: [x, y], page: [clientX, clientY], window: windowNow() };
  };
  for (const type of ["mousemove", "mousedown"]) addEventListener(type, hear, { capture: true, passive: true });

  const clipped = (rects: readonly DOMRect[]): [number, number, number, number] | undefined => {
    const left = Math.max(0, Math.min(...rects.map((rect) => rect.left)));
    const top = Math.max(0, Math.min(...rects.map((rect) => rect.top)));
    const right = Math.min(innerWidth, Math.max(...rects.map((rect) => rect.right)));
    const bottom = Math.min(innerHeight, Math.max(...rects.map((rect) => rect.bottom)));
    return right - left >= 1 && bottom - top >= 1 ? [left, top, right - left, bottom - top] : undefined;
  };

  return {
    /** The part of the viewport that shows the canvases, or the element. */
    drawn: (id: number, what: "canvas" | "element"): [number, number, number, number] | undefined => {
      const element = id === 0 ? undefined : dom.element(id);
      if (what === "element") return element && clipped([element.getBoundingClientRect()]);
      const all = element?.localName === "canvas" ? [element] : Array.from(document.querySelectorAll("canvas"));
      const rects = all.filter(dom.isShown).map((each) => each.getBoundingClientRect());
      const inView = rects.filter(
        (rect) => rect.right > 0 && rect.bottom > 0 && rect.left < innerWidth && rect.top < innerHeight,
      );
      return inView.length === 0 ? undefined : clipped(inView);
    },
    measure: (): Measured => ({
      screenX,
      screenY,
      outerWidth,
      outerHeight,
      innerWidth,
      innerHeight,
      ratio: devicePixelRatio,
      heard: heard && heard.window === windowNow() ? [...heard.screen, ...heard.page] : undefined,
    }),
    scrolled: (): [number, number] => [scrollX, scrollY],
    /** The next pointer movement, which is hidden from the page itself. */
    hearMove: (waitMs: number): Promise<[number, number, number, number] | undefined> =>
      new Promise((resolve) => {
        const types = ["pointermove", "mousemove", "pointerover", "mouseover", "pointerenter", "mouseenter"];
        const done = (heard?: MouseEvent): void => {
          clearTimeout(timer);
          for (const type of types) removeEventListener(type, listen, { capture: true });
          resolve(heard && [heard.screenX, heard.screenY, heard.clientX, heard.clientY]);
        };
        const listen = (event: Event): void => {
          if (!event.isTrusted) return;
          event.stopImmediatePropagation();
          if (event.type === "mousemove") done(event as MouseEvent);
        };
        const timer = setTimeout(done, waitMs);
        for (const type of types) addEventListener(type, listen, { capture: true });
      }),
  };
}
