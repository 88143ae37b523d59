/**
 * Enough that neither the program nor we ever wait for the other, and few enough that the last question of a large
 * tree is not asked long before it can be answered: its deadline counts from then on.
 */
const atOnce = 400;

/** Asks for every item, many at a time; results in the order of the items. What is known already costs no waiting. */
export async function pooled<T, R>(items: readonly T[], ask: (item: T) => R | Promise<R>): Promise<R[]> {
  const results = Array.from<R>({ length: items.length });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      const answer = ask(items[index] as T);
      results[index] = answer instanceof Promise ? await answer : answer;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
