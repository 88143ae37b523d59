import type { Random } from "../../fixtures/ocr/random.ts";

const kept = 24;

/** What recent answers named, so that calls can refer to something that exists, or existed a moment ago. */
export class Memo {
  readonly #known = new Map<string, string[]>();

  learn(data: unknown): void {
    const text = JSON.stringify(data) ?? "";
    for (const [kind, pattern] of Object.entries(patterns)) {
      const found = [...text.matchAll(pattern)].map(([, name = ""]) => name).slice(0, kept);
      if (found.length > 0) this.#known.set(kind, [...found, ...this.#recent(kind)].slice(0, kept));
    }
  }

  #recent(kind: string): readonly string[] {
    return this.#known.get(kind) ?? [];
  }

  /** One of them, or one that never existed. */
  pick(kind: Kind, random: Random): string {
    const known = this.#recent(kind);
    return known.length === 0 || random.chance(0.05) ? strangers[kind] : random.pick(known);
  }
}

type Kind = keyof typeof patterns;

const patterns = {
  shot: /"screenshot_id":"([^"]+)"/g,
  window: /"window_id":(\d+)/g,
  image: /"image_id":"([^"]+)"/g,
  page: /"(page:\d+)"/g,
  app: /\b(a\d+g\d+)\b/g,
  dom: /\b(d\d+(?:g\d+)?)\b/g,
  view: /\b(n\d+g\d+)\b/g,
  region: /"region_id":"([^"]+)"/g,
  debug: /"sessionId":"([^"]+)"/g,
} as const;

const strangers: Readonly<Record<Kind, string>> = {
  shot: "f999",
  window: "999999999",
  image: "img-none",
  page: "page:999",
  app: "a999g9",
  dom: "d99999",
  view: "n999g9",
  region: "r9-none",
  debug: "no-session",
};
