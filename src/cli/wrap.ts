/** Wraps at spaces, and breaks words longer than a line. Every line but the first is indented by `indent`. */
export function wrap(text: string, width: number, indent = 0): string {
  const room = Math.max(20, width - indent);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const joined = line === "" ? word : `${line} ${word}`;
    if (joined.length <= room) {
      line = joined;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (line.length > room) {
      lines.push(line.slice(0, room));
      line = line.slice(room);
    }
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

/** The maximum text width: that of the terminal, but never too wide to read. */
export const textWidth = (): number => Math.min(100, process.stdout.columns || 100);
