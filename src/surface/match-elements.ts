import { foldText, hasAsWords, partRank, rankText, rateText, wholeRank } from "../base/match-text.ts";
import type { UiNode } from "../base/node.ts";

/** An element that contains a text, and the field that contains it. */
export interface ElementMatch {
  readonly node: UiNode;
  readonly field: "name" | "value" | "description";
  readonly text: string;
  /** How well it matches; see `rankText`. */
  readonly rank: number;
}

/** Every element whose name, value or description contains the text, best first. */
export function matchesOf(nodes: readonly UiNode[], text: string): readonly ElementMatch[] {
  const wanted = foldText(text);
  return nodes.flatMap((node) => matchOf(node, wanted) ?? []).toSorted((a, b) => b.rank - a.rank);
}

function matchOf(node: UiNode, wanted: string): ElementMatch | undefined {
  const texts = { name: node.name, value: String(node.value ?? ""), description: node.description ?? "" };
  const found = (["name", "value", "description"] as const).find(
    (field) => rankText(foldText(texts[field]), wanted) >= partRank,
  );
  if (found === undefined) return undefined;
  const others = (): string[] => [foldText(texts.value), foldText(texts.description)];
  return { node, field: found, text: texts[found], rank: rateText(foldText(texts.name), others, wanted) };
}

/** The elements that a text names, best first. A full match beats any partial one. Nested matches count once. */
export function matchText(nodes: readonly UiNode[], text: string): readonly ElementMatch[] {
  const shown = nodes.filter(({ role }) => role !== "application" && role !== "window");
  const matches = matchesOf(shown, text);
  const wanted = foldText(text);
  const named = matches.filter(({ rank }) => rank === wholeRank);
  // The whole value of a field is more than a part of somebody's name.
  const exact = named.length > 0 ? named : matches.filter((match) => foldText(match.text) === wanted);
  const kept = exact.length > 0 ? exact : matches;
  const essentials = new Set(
    essential(
      nodes,
      kept.map(({ node }) => node),
    ),
  );
  return kept.filter(({ node }) => essentials.has(node));
}

/** Those of the matches that a person would call so; a text inside a word is found, but never acted on. */
export function meantBy(matches: readonly ElementMatch[], text: string): readonly ElementMatch[] {
  const wanted = foldText(text);
  return matches.filter(({ node: { name, value, description } }) =>
    [name, String(value ?? ""), description ?? ""].some((each) => hasAsWords(foldText(each), wanted)),
  );
}

/**
 * One element per nest of matches. For a label inside its button, the button; for a group around an element that has
 * the text, the element.
 */
export function essential(nodes: readonly UiNode[], matches: readonly UiNode[]): readonly UiNode[] {
  const parentOf = new Map(nodes.map(({ runtimeId, parent }) => [runtimeId, parent]));
  const matched = new Map(matches.map((node) => [node.runtimeId, node]));
  const dropped = new Set<string>();
  for (const inner of matches) {
    for (let id = inner.parent; id !== undefined; id = parentOf.get(id)) {
      const outer = matched.get(id);
      if (!outer) continue;
      const isLabel = outer.name === inner.name && outer.actions.length > inner.actions.length;
      dropped.add(isLabel ? inner.runtimeId : outer.runtimeId);
    }
  }
  return matches.filter(({ runtimeId }) => !dropped.has(runtimeId));
}
