export interface Argument {
  /** Raw captures, or clicks each one pixel to the right of the last, one after the other. */
  readonly count?: number;
  readonly x?: number;
  readonly y?: number;
  readonly text?: string;
  /** Whose elements are read. */
  readonly pid?: number;
  readonly title?: string;
  /** Files with what is searched and what is looked for. */
  readonly screen?: string;
  readonly template?: string;
  readonly scales?: readonly number[];
  readonly rotations?: readonly number[];
  readonly masked?: boolean;
  /** Shades put behind what is transparent. */
  readonly grounds?: readonly number[];
  readonly threshold?: number;
  /** Try the sizes it tries when it is not told any. */
  readonly isOpen?: boolean;
  /** Leave the picture here, after the clock has stopped, so that it can be looked at. */
  readonly saveTo?: string;
}

export interface Facts {
  readonly bytes?: number;
  readonly width?: number;
  readonly height?: number;
  /** Elements that were read, and those of them that have a place. */
  readonly nodes?: number;
  readonly placed?: number;
  /** Lines and tokens of the text form. */
  readonly shown?: number;
  readonly tokens?: number;
  readonly x?: number;
  readonly y?: number;
  readonly score?: number;
  readonly rotation?: number;
  readonly matches?: number;
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
