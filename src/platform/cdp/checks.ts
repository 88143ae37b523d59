/**
 * Returns where a value differs from the expected shape ("rows.3.name"), or undefined when it does not. A value that
 * passes is a T. Paths are built only on failure, so thousands of correct rows cost nothing but the check.
 */
export interface Check<out T> {
  (value: unknown): string | undefined;
  /** For the compiler only. */
  readonly passes?: T;
}

export type Checked<C> = C extends Check<infer T> ? T : never;

type Fields = Readonly<Record<string, Check<unknown>>>;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: undefined extends Checked<F[K]> ? K : never;
}[keyof F];
type FieldsOf<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Checked<F[K]> } & {
  readonly [K in OptionalKeys<F>]?: Checked<F[K]> | undefined;
};

const itself = "itself";
const inside = (key: string | number, where: string): string => (where === itself ? `${key}` : `${key}.${where}`);

const check =
  <T>(fits: (value: unknown) => boolean): Check<T> =>
  (value) =>
    fits(value) ? undefined : itself;

export const text = check<string>((value) => typeof value === "string");
export const flag = check<boolean>((value) => typeof value === "boolean");
/** JSON can contain numbers that are too large; they become Infinity. */
export const number = check<number>(Number.isFinite);
export const count = check<number>((value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const nothing = check<void>((value) => value === undefined);
export const whatever = check<unknown>(() => true);
export const literal = <const T extends string | number>(...wanted: readonly T[]): Check<T> =>
  check<T>((value) => wanted.includes(value as T));

/** No engine draws farther away. */
export const farthest = 1e9;
export const place = check<number>((value) => typeof value === "number" && Math.abs(value) <= farthest);
export const extent = check<number>((value) => typeof value === "number" && value >= 0 && value <= farthest);
export const ratio = check<number>((value) => typeof value === "number" && value > 0 && value <= 1_000);

// Browsers themselves refuse to return values nested deeper than 1000.
const deepest = 1_100;
/** Any value, unless it is nested so deeply that walking it would exhaust the stack. */
export const shallow: Check<unknown> = check<unknown>((value) => {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return true;
});

/** Missing values are left out. */
export const optional =
  <T>(inner: Check<T>): Check<T | undefined> =>
  (value) =>
    value === undefined ? undefined : inner(value);

export const orNull =
  <T>(inner: Check<T>): Check<T | null> =>
  (value) =>
    value === null ? undefined : inner(value);

export const either =
  <A, B>(one: Check<A>, other: Check<B>): Check<A | B> =>
  (value) =>
    one(value) === undefined ? undefined : other(value);

export const list =
  <T>(each: Check<T>): Check<T[]> =>
  (value) => {
    if (!Array.isArray(value)) return itself;
    for (let index = 0; index < value.length; index++) {
      const where = each(value[index]);
      if (where !== undefined) return inside(index, where);
    }
    return undefined;
  };

/** At least `needed` values; those at the end are optional. */
export function tuple<T extends readonly unknown[]>(
  checks: { readonly [K in keyof T]-?: Check<T[K]> },
  needed: number = checks.length,
): Check<T> {
  return (value) => {
    if (!Array.isArray(value) || value.length < needed || value.length > checks.length) return itself;
    for (let index = 0; index < value.length; index++) {
      const where = checks[index]?.(value[index]);
      if (where !== undefined) return inside(index, where);
    }
    return undefined;
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Other fields are allowed and ignored. */
export function object<F extends Fields>(fields: F): Check<FieldsOf<F>> {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return itself;
    for (const [key, inner] of entries) {
      const where = inner(value[key]);
      if (where !== undefined) return inside(key, where);
    }
    return undefined;
  };
}

export const record =
  <T>(each: Check<T>): Check<Record<string, T>> =>
  (value) => {
    if (!isObject(value)) return itself;
    for (const key of Object.keys(value)) {
      const where = each(value[key]);
      if (where !== undefined) return inside(key, where);
    }
    return undefined;
  };

const notJson = Symbol("not JSON");

/** Invalid JSON becomes a value that passes no check. */
export function parseJson(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return notJson;
  }
}
