import { ToolError } from "../../../base/errors.ts";
import { isModifier, parseChord } from "../../../base/keys.ts";

/**
 * The shortcut in what an element reports as its key binding. GTK 3 puts it last, after its mnemonic and the way
 * through the menus: "n;<Alt>f:n;<Primary>n". Qt reports the mnemonic of an entry that has no shortcut.
 */
export function toShortcut(binding: string, toolkit: string): string | undefined {
  const text = toolkit === "gtk3" ? (binding.split(";")[2] ?? "") : binding;
  const shortcut = text.includes("<") ? fromGtk(text) : toChord(text);
  const isMnemonic = toolkit.startsWith("qt") && shortcut !== undefined && /^alt\+.$/u.test(shortcut);
  return isMnemonic ? undefined : shortcut;
}

/** `<Primary><Shift>n`, as GTK writes it. */
export function fromGtk(text: string): string | undefined {
  const held = [...text.matchAll(/<([^>]+)>/g)].map(([, name = ""]) => names.get(name.toLowerCase()) ?? name);
  const key = text.replaceAll(/<[^>]+>/g, "");
  return key === "" || key === "VoidSymbol"
    ? undefined
    : toChord([...held, keys.get(key.toLowerCase()) ?? key].join("+"));
}

const names = new Map([
  ["primary", "ctrl"],
  ["control", "ctrl"],
  ["super", "meta"],
  ["mod1", "alt"],
]);

/** X11 names of keys that we call otherwise. */
const keys = new Map(
  Object.entries({
    page_up: "pageup",
    page_down: "pagedown",
    kp_add: "numpadadd",
    kp_subtract: "numpadsubtract",
    bracketleft: "[",
    bracketright: "]",
    slash: "/",
    backslash: "\\",
    equal: "=",
    question: "?",
    apostrophe: "'",
    semicolon: ";",
    grave: "`",
    underscore: "_",
  }),
);

/** Undefined for what no key of ours means, and for several chords after one another. */
function toChord(text: string): string | undefined {
  if (text === "" || /,\s/.test(text)) return undefined;
  try {
    const chord = parseChord({ key: text });
    return chord.every(isModifier) ? undefined : chord.join("+").toLowerCase();
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}
