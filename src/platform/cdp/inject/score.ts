/** How well a text answers a query, 0 to 100. Runs inside pages, so it may use nothing from outside. */
export function makeScore() {
  const score = (text: string, query: string): number => {
    const own = text.toLowerCase();
    if (own === "") return 0;
    if (own === query) return 100;
    if (own.startsWith(query)) return 80;
    if (new RegExp(`\\b${query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`).test(own)) return 65;
    if (own.indexOf(query) >= 0) return 50;
    const parts = query.split(/\s+/).filter((part) => part !== "");
    const hits = parts.filter((part) => own.indexOf(part) >= 0).length;
    return parts.length > 1 && hits > 0 ? Math.round((40 * hits) / parts.length) : 0;
  };
  return score;
}
