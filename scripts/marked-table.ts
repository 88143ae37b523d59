/** A table of "yes" and "no [1]", with the reasons of the latter below it. */
export class MarkedTable {
  readonly #columns: readonly string[];
  readonly #rows: string[] = [];
  readonly #reasons: string[] = [];

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  /** One cell per column: a reason against it, or none. */
  add(title: string, reasons: readonly (string | undefined)[]): void {
    this.#rows.push(`| ${title} | ${reasons.map((reason) => this.#mark(reason)).join(" | ")} |`);
  }

  lines(): readonly string[] {
    const reasons = this.#reasons.map((reason, index) => `${index + 1}. ${reason}`);
    return [
      `| | ${this.#columns.join(" | ")} |`,
      `| --- |${this.#columns.map(() => " --- |").join("")}`,
      ...this.#rows,
      ...(reasons.length > 0 ? ["", ...reasons] : []),
    ];
  }

  #mark(reason: string | undefined): string {
    if (reason === undefined) return "yes";
    const known = this.#reasons.indexOf(reason);
    return `no [${known >= 0 ? known + 1 : this.#reasons.push(reason)}]`;
  }
}
