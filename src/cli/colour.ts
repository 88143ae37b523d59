import { stripVTControlCharacters } from "node:util";

/** Only for people who look at a terminal and have not asked for none (https://no-color.org). */
export const hasColours = (stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean =>
  stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";

export const withoutColours = (text: string): string => stripVTControlCharacters(text);
