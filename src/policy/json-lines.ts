const literal = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/**
 * The line on which each value of a JSON text begins, by path: `rules.2.verdict`. For invalid JSON, the line of the
 * error, under the path "fault".
 */
export function locate(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let at = 0;
  const fault = (offset: number): never => {
    throw new RangeError(String(lineOf(text, offset)));
  };
  const skip = () => {
    while (/\s/.test(text[at] ?? "")) at++;
  };
  const string = (): string => {
    const start = at++;
    if (text[start] !== '"') fault(start);
    while (text[at] !== '"') {
      if (at >= text.length || text[at] === "\n") fault(start);
      at += text[at] === "\\" ? 2 : 1;
    }
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const visit = (path: string): void => {
    skip();
    lines.set(path, lineOf(text, at));
    const below = (key: string | number) => (path === "" ? String(key) : `${path}.${key}`);
    const opening = text[at];
    if (opening === "{" || opening === "[") {
      at++;
      for (let index = 0; ; index++) {
        skip();
        if (text[at] === ",") {
          at++;
          skip();
        }
        if (text[at] === "}" || text[at] === "]") break;
        if (opening === "[") {
          visit(below(index));
          skip();
          continue;
        }
        const line = lineOf(text, at);
        const key = string();
        skip();
        if (text[at++] !== ":") fault(at - 1);
        visit(below(key));
        lines.set(below(key), line);
      }
      at++;
    } else if (opening === '"') string();
    else {
      const start = at;
      while (at < text.length && !/[\s,\]}]/.test(text[at] ?? "")) at++;
      if (!literal.test(text.slice(start, at))) fault(start);
    }
  };
  try {
    visit("");
    skip();
    if (at < text.length) fault(at);
  } catch (error) {
    lines.set("fault", error instanceof RangeError ? Number(error.message) : lineOf(text, at));
  }
  return lines;
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
