/** The candidate most similar to the word, for "did you mean"; undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(word.length / 3));
  let best: { readonly name: string; readonly cost: number } | undefined;
  for (const name of candidates) {
    // Input of any length arrives here; only near misses matter.
    if (Math.abs(word.length - name.length) > limit) continue;
    const cost = editDistance(word.toLowerCase(), name.toLowerCase());
    if (cost <= limit && (best === undefined || cost < best.cost)) best = { name, cost };
  }
  return best?.name;
}

/** How many letters differ. Takes time proportional to the product of the lengths. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
