/// <reference lib="dom" />

export type Placing = ReturnType<typeof makePlacing>;

/** Where the page is: its window, its scroll position, the pointer's place on the screen. */
export function makePlacing() {
  return {
    measure: () => ({
      screenX,
      screenY,
      outerWidth,
      outerHeight,
      innerWidth,
      innerHeight,
      ratio: devicePixelRatio,
    }),
    scrolled: (): [number, number] => [scrollX, scrollY],
    /** The next movement of the pointer, which the page itself does not get to see. */
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
