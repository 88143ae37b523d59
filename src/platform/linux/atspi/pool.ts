/**
 * Enough that neither the program nor we ever wait for the other, and few enough that the last question about a large
 * tree is not sent long before it can be answered: its deadline starts when it is sent.
 */
const atOnce = 400;

/**
 * Asks for every item, many at a time; results are in the order of the items. Answers that are already known are not
 * awaited.
 */
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
