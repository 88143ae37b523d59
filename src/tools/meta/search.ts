import type { AnyTool } from "../tool.ts";
import { synonymsOf, wordsOf } from "./search-words.ts";

/** How much it says about a tool that a word occurs there. */
const weights = { name: 5, title: 4, summary: 2, argument: 1, meaning: 0.5 };
const ofSynonym = 0.5;
/** Tools that share only a common word with the question are not among the matches. */
const leastOfBest = 0.25;

interface Indexed {
  readonly tool: AnyTool;
  readonly words: ReadonlyMap<string, number>;
}

/** The tools that match a question in plain words, best first. A rare word counts more than one that all tools have. */
export function searchTools(tools: readonly AnyTool[], query: string): readonly AnyTool[] {
  const asked = query.trim().toLowerCase();
  const index = tools.map((tool): Indexed => ({ tool, words: indexOf(tool) }));
  const found = (word: string) => index.filter(({ words }) => words.has(word)).length;
  const rarity = (word: string) => Math.log(1 + index.length / (1 + found(word)));
  const terms = [...new Set(wordsOf(asked))].map((word) => [
    { word, weight: rarity(word) },
    ...synonymsOf(word).map((other) => ({ word: other, weight: ofSynonym * rarity(other) })),
  ]);
  const scored = index.map(({ tool, words }) => {
    const matches = terms.map((ways) =>
      Math.max(0, ...ways.map(({ word, weight }) => weight * (words.get(word) ?? 0))),
    );
    return { tool, score: matches.reduce((sum, each) => sum + each, 0) * (1 + covered(tool, terms.flat())) };
  });
  const least = leastOfBest * Math.max(0, ...scored.map(({ score }) => score));
  const isNamed = ({ name }: AnyTool) => Number(name === asked.replaceAll(/[\s-]+/g, "_"));
  return scored
    .filter(({ score }) => score > 0 && score >= least)
    .toSorted((one, other) => isNamed(other.tool) - isNamed(one.tool) || other.score - one.score)
    .map(({ tool }) => tool);
}

/** The part of its name that was asked for: "click" is more to the point than "click_region" where nothing else differs. */
function covered({ name }: AnyTool, asked: readonly { readonly word: string }[]): number {
  const words = wordsOf(name.replaceAll("_", " "));
  return words.filter((word) => asked.some((each) => each.word === word)).length / words.length;
}

function indexOf({ name, title, summary, input }: AnyTool): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) words.set(word, Math.max(weight, words.get(word) ?? 0));
  };
  add(name.replaceAll("_", " "), weights.name);
  add(title, weights.title);
  add(summary, weights.summary);
  for (const [field, schema] of Object.entries(input.shape)) {
    add(field.replaceAll("_", " "), weights.argument);
    add(schema.description ?? "", weights.meaning);
  }
  return words;
}
