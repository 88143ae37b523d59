/** HTML that is safe to show: every value is escaped unless it is HTML created here. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | readonly Html[] | string | number | undefined | null | false;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);

function show(value: Value): string {
  if (value === undefined || value === null || value === false) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("\n");
  return escape(String(value));
}

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? show(values[index]) : "")).join(""));
}
