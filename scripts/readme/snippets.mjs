// @ts-check

/** @typedef {{ language: string, text: string }} Snippet */

/**
 * Every fenced block of a page that a reader may copy.
 * @param {string} markdown
 * @returns {readonly Snippet[]}
 */
export function findSnippets(markdown) {
  return [...markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
    language,
    text,
  }));
}

/**
 * The commands of a shell block, without the comments beside them.
 * @param {Snippet} snippet
 * @returns {readonly string[]}
 */
export const commandsIn = ({ text }) =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, "").trim())
    .filter((line) => line !== "");

/**
 * The program and arguments a block tells an MCP client to start; undefined for a block about something else.
 * @param {Snippet} snippet
 * @returns {readonly string[] | undefined}
 */
export function serverIn({ language, text }) {
  if (language === "sh") {
    const [, words] = /^claude mcp add \S+ -- (.+)$/m.exec(text) ?? [];
    return words?.split(" ");
  }
  const { mcpServers, mcp_servers, servers } = language === "toml" ? parseToml(text) : JSON.parse(text);
  const { handsight } = mcpServers ?? mcp_servers ?? servers ?? {};
  return handsight && [handsight.command, ...handsight.args];
}

/**
 * Tables, and values that are written in TOML as in JSON; anything else is an error.
 * @param {string} text
 * @returns {Record<string, any>}
 */
function parseToml(text) {
  /** @type {Record<string, any>} */
  const whole = {};
  let table = whole;
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [, path] = /^\[([\w.]+)\]$/.exec(line) ?? [];
    if (path === undefined) {
      const [, key = "", value = ""] = /^(\w+) = (.+)$/.exec(line) ?? [];
      table[key] = JSON.parse(value);
    } else {
      table = path.split(".").reduce((above, name) => (above[name] ??= {}), whole);
    }
  }
  return whole;
}
