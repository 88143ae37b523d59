/** Where a person would point: at an element as another client places it, or at a point of the window. */
export type Spot =
  | { readonly name: string; readonly role?: string }
  | { readonly x: number; readonly y: number; readonly inPopup?: boolean };

/** What is done to a program, in words that handsight and a person's hand both understand. */
export type Deed =
  | { readonly do: "press"; readonly key: string }
  | { readonly do: "type"; readonly text: string }
  | {
      readonly do: "click";
      /** How handsight is told what to click. */
      readonly target: Readonly<Record<string, unknown>>;
      /** Where the hand goes. */
      readonly spot: Spot;
      readonly clicks?: number;
      /** In another window of the program: part of its title. */
      readonly inWindow?: string;
      readonly button?: "left" | "middle" | "right";
    }
  | { readonly do: "quit" };

interface ClickOptions {
  readonly clicks?: number;
  readonly inWindow?: string;
  readonly button?: "left" | "middle" | "right";
}

export const press = (key: string): Deed => ({ do: "press", key });
export const type = (text: string): Deed => ({ do: "type", text });
export const quit: Deed = { do: "quit" };

/** A click at a point of the window. */
export const clickAt = (x: number, y: number, { clicks = 1, ...more }: ClickOptions = {}): Deed => ({
  do: "click",
  target: { window_x: x, window_y: y },
  spot: { x, y },
  clicks,
  ...more,
});

/** A click on an element that handsight is told by a selector or a text. */
export const click = (target: Readonly<Record<string, unknown>>, spot: Spot, more: ClickOptions = {}): Deed => ({
  do: "click",
  target,
  spot,
  ...more,
});
