/** Words that people use for the same thing. Tools are found by any of them. */
const groups: readonly (readonly string[])[] = [
  ["picture", "image", "photo", "screenshot", "capture", "snapshot", "look", "see"],
  ["icon", "logo", "template", "image"],
  ["click", "press", "tap", "push", "hit"],
  ["click", "mouse"],
  ["long", "hold"],
  ["right", "context", "button", "click"],
  ["type", "write", "enter", "input", "fill"],
  ["paste", "copy", "clipboard"],
  ["key", "keyboard", "shortcut", "hotkey"],
  ["scroll", "wheel", "swipe"],
  ["drag", "drop", "move"],
  ["hover", "mouse", "pointer", "cursor", "move"],
  ["open", "launch", "start", "run"],
  ["quit", "close", "exit", "kill", "end", "stop", "terminate"],
  ["app", "application", "program", "software", "package"],
  ["window", "dialog"],
  ["focus", "activate", "front", "switch", "raise", "bring"],
  ["active", "focused", "current", "foreground", "focus"],
  ["display", "monitor", "screen"],
  ["resolution", "size", "density", "display"],
  ["element", "control", "widget", "component", "node", "button", "field"],
  ["ax", "accessibility", "accessible", "native"],
  ["tree", "structure", "hierarchy", "snapshot", "indented"],
  ["css", "xpath", "selector", "find"],
  ["tab", "page"],
  ["read", "extract", "get", "ocr"],
  ["find", "search", "locate", "where"],
  ["wait", "until", "appear", "ready", "loaded"],
  ["text", "word", "string", "label"],
  ["field", "textbox", "input", "form"],
  ["value", "slider", "number", "set"],
  ["check", "tick", "toggle", "checkbox", "switch", "untick", "uncheck"],
  ["select", "choose", "pick", "option", "row", "item", "switch"],
  ["expand", "collapse", "unfold", "open", "tree"],
  ["compare", "difference", "diff", "changed"],
  ["number", "mark", "region", "label", "annotate"],
  ["describe", "explain", "caption", "analyze", "vision"],
  ["record", "recording", "video", "film", "screencast"],
  ["page", "browser", "web", "website", "site", "html", "cdp", "chrome"],
  ["navigate", "go", "visit", "url", "address", "reload", "refresh", "back", "forward"],
  ["script", "javascript", "js", "evaluate", "code", "eval"],
  ["alert", "confirm", "prompt", "popup", "dialog"],
  ["dom", "html", "snapshot", "source"],
  ["android", "phone", "mobile", "device", "emulator", "adb", "tablet"],
  ["activity", "foreground"],
  ["connect", "attach"],
  ["disconnect", "detach"],
  ["agent", "goal", "task", "autonomous", "delegate", "pursue"],
  ["capability", "support", "work", "doctor", "diagnose", "platform"],
  ["point", "position", "coordinate", "location", "xy"],
  ["list", "all", "which", "show"],
  ["installed", "list"],
  ["minimize", "maximize", "resize", "restore"],
  ["menu", "command", "action"],
  ["steps", "sequence", "batch", "several", "once"],
];

const stopWords: ReadonlySet<string> = new Set(
  "a an and are as at be by can do does for from has have how i if in into is it its me my not of on or that the their them then there this to tool use want was what when will with you your".split(
    " ",
  ),
);

/** The words of a text without endings, so that "typing" finds "type" and "windows" finds "window". */
export const wordsOf = (text: string): readonly string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word)).map(stem);

function stem(word: string): string {
  const bare = word.length > 4 ? word.replace(/(?:ies|ing|ed|es|s)$/, (end) => (end === "ies" ? "y" : "")) : word;
  const short = bare.length === word.length && word.length === 4 ? word.replace(/s$/, "") : bare;
  return short.replace(/([^aeiou])\1$/, "$1").replace(/e$/, "");
}

const stemmed = groups.map((group) => group.map(stem));

/** Other words for this one, stemmed as `wordsOf` does. */
export const synonymsOf = (word: string): readonly string[] =>
  [...new Set(stemmed.filter((group) => group.includes(word)).flat())].filter((each) => each !== word);
