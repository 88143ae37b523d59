/** Text that shells, `input text` and XML each get wrong in their own way. All but the last can be typed. */
export const hardStrings: readonly string[] = [
  "plain",
  "two words",
  "  spaces  around  ",
  "%s",
  "%%s",
  "100%sure %s%s",
  "%",
  "it's",
  "''",
  '"double"',
  "back\\slash\\",
  "$HOME ${PATH} $(id)",
  "`id`",
  "a;b&c|d",
  "a && b || c",
  "<in >out 2>&1",
  "* ? [a-z] ~",
  "{a,b} {1..3}",
  "#hash # comment",
  "!history !!",
  "(subshell)",
  "-n --option",
  "a\tb",
  "first\nsecond",
  "\\n \\t \\0 \\x41",
  "'; input tap 1 1; '",
  "é",
];

/** Repeatable: the same seed gives the same strings. */
export function randomStrings(count: number, seed: number): string[] {
  let state = seed;
  const next = (below: number): number => {
    // Numerical Recipes' linear congruential generator.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + next(24) }, () => String.fromCharCode(0x20 + next(0x5f))).join(""),
  );
}
