import { Html, html } from "./html.ts";

/** What the reports of agents and of flows have in common. */

/** Returns the address of a picture: its file, or a data URL. */
export type PictureAddress = (file: string) => string | undefined;

/** Each picture is in the page once, however often it is shown. */
export class ReportPictures {
  readonly style: Html;
  readonly #known = new Map<string, string>();

  constructor(files: readonly string[], picture: PictureAddress) {
    const rules: string[] = [];
    for (const file of files) {
      if (this.#known.has(file)) continue;
      const address = picture(file);
      if (address === undefined || /["\\\n<]/.test(address)) continue;
      const name = `p${this.#known.size + 1}`;
      this.#known.set(file, name);
      rules.push(`.${name}{background-image:url("${address}")}`);
    }
    this.style = new Html(rules.join("\n"));
  }

  classOf(file: string | null | undefined): string | undefined {
    return file ? this.#known.get(file) : undefined;
  }
}

export type Fact = readonly [name: string, value: string];

export const factList = (facts: readonly Fact[]): Html =>
  html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;

export const lineList = (lines: readonly string[]): Html =>
  html`<ul>
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
