/** A text with its quoted parts masked, so that nothing in them is taken for a word of the instruction. */
export interface Masked {
  readonly text: string;
  readonly quotes: readonly string[];
}

const pairs = /"([^"]*)"|“([^”]*)”|«([^»]*)»|‘([^’]*)’|(?<![\p{L}\p{N}])'([^']*)'(?![\p{L}\p{N}])/gu;
const token = /⟦(\d+)⟧/g;

export function mask(text: string): Masked {
  const quotes: string[] = [];
  const masked = text.replaceAll(/[⟦⟧]/g, " ").replaceAll(pairs, (_whole, ...groups: unknown[]) => {
    const inner = groups.slice(0, 5).find((group) => typeof group === "string");
    quotes.push(typeof inner === "string" ? inner : "");
    return `⟦${quotes.length - 1}⟧`;
  });
  return { text: masked, quotes };
}

/** The text with the quoted parts restored, in quotation marks. */
export function unmask(text: string, quotes: readonly string[]): string {
  return text.replaceAll(token, (_whole, index: string) => `"${quotes[Number(index)] ?? ""}"`);
}

/** The quoted text, if the phrase is nothing but one quoted part. */
export function onlyQuote(text: string, quotes: readonly string[]): string | undefined {
  const found = /^⟦(\d+)⟧$/.exec(text.trim());
  return found ? quotes[Number(found[1])] : undefined;
}

/** Whether a part of the masked text was in quotation marks. */
export const hasQuote = (text: string): boolean => /⟦\d+⟧/.test(text);

/** Whether the masked text is nothing but one quoted part. */
export const isQuote = (text: string): boolean => /^⟦\d+⟧$/.test(text.trim());

export const quote = "⟦\\d+⟧";
