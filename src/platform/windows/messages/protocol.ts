import type { Handle } from "../win32.ts";

/** What the thread does for the others. */
export type Order =
  | { readonly do: "window"; readonly kind: "clipboard" | "overlay" }
  | { readonly do: "close"; readonly window: Handle }
  | { readonly do: "listen"; readonly what: Listening };

/** Which input is reported, and what of it is taken from all apps. */
export interface Listening {
  readonly moves: boolean;
  readonly buttons: boolean;
  readonly keys: boolean;
  readonly takesButtons: boolean;
}

export interface Ordered {
  readonly number: number;
  readonly order: Order;
}

/** As the hooks of Windows report it. */
export type RawInput =
  | {
      readonly kind: "mouse";
      readonly message: number;
      readonly x: number;
      readonly y: number;
      readonly data: number;
      readonly ms: number;
    }
  | {
      readonly kind: "key";
      readonly isDown: boolean;
      readonly key: number;
      readonly scan: number;
      readonly ms: number;
    };

export type Told =
  | { readonly kind: "ready"; readonly thread: number }
  | { readonly kind: "done"; readonly number: number; readonly value: number }
  | { readonly kind: "failed"; readonly number: number; readonly message: string }
  | { readonly kind: "input"; readonly input: RawInput };
