/** Something read a while ago. */
export interface Kept<T> {
  readonly at: number;
  readonly value: T;
}

export const isFresh = <T>(kept: Kept<T> | undefined, ageMs: number): kept is Kept<T> =>
  kept !== undefined && performance.now() - kept.at < ageMs;
