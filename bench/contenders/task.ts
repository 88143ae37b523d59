export interface Argument {
  /** Raw captures, or clicks each one pixel to the right of the last, one after the other. */
  readonly count?: number;
  readonly x?: number;
  readonly y?: number;
  readonly text?: string;
  /** Leave the picture here, after the clock has stopped, so that it can be looked at. */
  readonly saveTo?: string;
}

export interface Facts {
  readonly bytes?: number;
  readonly width?: number;
  readonly height?: number;
}

/** Does the work; what it returns is asked after the clock has stopped. */
export type Task = (argument: Argument) => Promise<(() => Facts | Promise<Facts>) | void>;
export type Tasks = Readonly<Record<string, Task>>;

export interface Order {
  readonly task: string;
  readonly argument: Argument;
}

export type Answer =
  | { readonly kind: "ready"; readonly tasks: readonly string[] }
  | ({ readonly kind: "done"; readonly startedAt: number; readonly ms: number } & Facts)
  | { readonly kind: "failed"; readonly message: string };
