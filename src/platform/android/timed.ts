/** Something that was read a while ago. */
export interface Timed<T> {
  readonly at: number;
  readonly value: T;
}

export const isFresh = <T>(timed: Timed<T> | undefined, ageMs: number): timed is Timed<T> =>
  timed !== undefined && performance.now() - timed.at < ageMs;
