import { parseChord } from "../../../base/keys.ts";
import { splitClauses, startsWithVerb } from "./clauses.ts";
import { mask, onlyQuote, quote, unmask } from "./quotes.ts";
import { readTarget, type Target } from "./target.ts";

/** One thing to do, understood but not yet located. */
export type Step =
  | { readonly do: "click"; readonly target: Target; readonly count: number; readonly button: "left" | "right" }
  /** A word that may name a key of the keyboard or something to click. */
  | {
      readonly do: "press";
      readonly word: string;
      readonly key: string;
      readonly target: Target;
      readonly isKey: boolean;
    }
  | { readonly do: "type"; readonly text: string; readonly into: Target | undefined; readonly replaces: boolean }
  | { readonly do: "clear"; readonly into: Target }
  | { readonly do: "check"; readonly target: Target; readonly on: boolean }
  | { readonly do: "choose"; readonly option: Target; readonly from: Target }
  | { readonly do: "drag"; readonly target: Target; readonly onto: Target }
  | { readonly do: "wait"; readonly text: string; readonly ms: number | undefined }
  | { readonly do: "scroll"; readonly direction: "up" | "down" | "left" | "right"; readonly amount: number };

export interface Clause {
  /** As it was written. */
  readonly said: string;
  /** Undefined when it is not understood. */
  readonly step: Step | undefined;
  readonly problem?: string;
}

/** The steps of an instruction, in order. Pure: independent of what is on the screen. */
export function parseInstruction(text: string): readonly Clause[] {
  const masked = mask(text);
  const { quotes } = masked;
  let verb = "";
  return splitClauses(masked.text).flatMap((clause): readonly Clause[] => {
    const said = unmask(clause, quotes);
    const whole = readClause(clause, quotes);
    const steps = whole.length > 0 || verb === "" || !isName(clause) ? whole : readClause(`${verb} ${clause}`, quotes);
    const found = /^(click|press|tap|hit|push|select|choose)\b/i.exec(clause)?.[1];
    // "click 5 and then the plus sign": a missing verb is taken from the previous clause.
    if (found) verb = found;
    else if (whole.length > 0) verb = "";
    return steps.length > 0
      ? steps.map((step) => ({ said, step }))
      : [{ said, step: undefined, problem: problemOf(clause) }];
  });
}

/** Whether a clause may be just a name, to which the previous clause's verb applies. */
const isName = (clause: string): boolean => clause.split(/\s+/).length <= 4 && !startsWithVerb.test(clause);

function problemOf(clause: string): string {
  return /^(?:type|write|enter|input)\b/i.test(clause)
    ? "the text to type must be in quotation marks"
    : "it names no single action (click, type, press, choose, check, drag, wait, scroll) on something that can be seen";
}

type Read = (groups: readonly string[], quotes: readonly string[]) => readonly Step[] | undefined;

const rule = (pattern: string, read: Read): { readonly pattern: RegExp; readonly read: Read } => ({
  pattern: new RegExp(`^${pattern}$`, "iu"),
  read,
});

const one = (step: Step | undefined): readonly Step[] => (step ? [step] : []);
const text = `(?:the (?:text|word|words|value|number) )?(${quote}|\\S+)`;
const typing = "(?:type|enter|write|put|input|insert|key in|add)";

const rules: readonly { readonly pattern: RegExp; readonly read: Read }[] = [
  rule("wait (?:for )?(\\d+(?:\\.\\d+)?) ?(ms|milliseconds?|s|secs?|seconds?)", ([amount = "", unit = ""]) => {
    const ms = Number(amount) * (unit.startsWith("m") ? 1 : 1_000);
    return [{ do: "wait", text: "", ms: Math.min(60_000, ms) }];
  }),
  rule(
    "wait (?:for|until) (?:the )?(?:text |word |window )?(.+?)(?: (?:appears?|to appear|is (?:shown|visible|there|displayed)|shows up|comes up|opens))?",
    ([what = ""], quotes) => one(toWait(what, quotes)),
  ),
  rule(
    "(?:check|verify|make sure|ensure|expect|see)(?: that)? (?:the )?(?:text )?(.+?) (?:is (?:shown|visible|there|displayed|present|on the screen)|appears?|shows up)",
    ([what = ""], quotes) => one(toWait(what, quotes)),
  ),
  rule(
    "(?:make sure|ensure)(?: that)? (.+?) is (checked|ticked|on|enabled|selected|unchecked|unticked|off|disabled|not checked|not ticked)",
    ([what = "", state = ""], quotes) => [
      { do: "check", target: readTarget(what, quotes), on: !/^(?:un|off|dis|not)/i.test(state) },
    ],
  ),
  rule("(?:uncheck|untick|turn off|switch off|disable|deactivate) (.+)", ([what = ""], quotes) => [
    { do: "check", target: readTarget(what, quotes), on: false },
  ]),
  rule("(?:check|tick|turn on|switch on|enable) (.+)", ([what = ""], quotes) => [
    { do: "check", target: readTarget(what, quotes), on: true },
  ]),
  rule("turn (.+) (on|off)", ([what = "", state = ""], quotes) => [
    { do: "check", target: readTarget(what, quotes), on: state.toLowerCase() === "on" },
  ]),
  rule(
    "drag(?: and drop)? (.+?) (?:(?:over |on)?to|into|onto|over|on top of|on)(?: the place of)? (.+)",
    ([what = "", place = ""], quotes) => toDrag(readTarget(what, quotes), readTarget(place, quotes)),
  ),
  rule(
    "scroll (?:to )?(?:the )?(?:very )?(up|down|left|right|bottom|top|end)(?: of .+)?(?: (once|twice|a bit|a little|(?:\\d+|two|three|four|five) times))?",
    ([where = "", often = ""]) => [toScroll(where.toLowerCase(), often.toLowerCase())],
  ),
  rule(`fill (?:in|out)(?: the)?(?: form)?:? (.+?) ?:? (${quote})`, ([field = "", what = ""], quotes) =>
    / with$/i.test(field) ? undefined : one(toType(what, quotes, field, true)),
  ),
  rule(`(?:fill|fill in|fill out) (.+?) with ${text}`, ([field = "", what = ""], quotes) =>
    one(toType(what, quotes, field, true)),
  ),
  rule(`(?:set|change|replace|update) (.+?) (?:to|with|by) ${text}`, ([field = "", what = ""], quotes) =>
    one(toType(what, quotes, field, true)),
  ),
  rule(`${typing} ${text} (?:in|into|inside|in to|to|as) (.+)`, ([what = "", field = ""], quotes) =>
    one(toType(what, quotes, field, false)),
  ),
  rule(`(?:in|into|inside|on) (.+?),? ${typing} ${text}`, ([field = "", what = ""], quotes) =>
    one(toType(what, quotes, field, false)),
  ),
  rule(`([\\p{L}][\\p{L}\\d ]*|${quote}) ?: ?(?:${typing} )?(${quote})`, ([field = "", what = ""], quotes) =>
    one(toType(what, quotes, field, false)),
  ),
  rule(`([\\p{L}][\\p{L}\\d ]*) (${quote})`, ([field = "", what = ""], quotes) =>
    startsWithVerb.test(field) ? undefined : one(toType(what, quotes, field, true)),
  ),
  rule(`${typing} ${text}`, ([what = ""], quotes) => one(toType(what, quotes, undefined, false))),
  rule("(?:clear|empty|erase)(?: out)? (.+)", ([what = ""], quotes) => [
    { do: "clear", into: readTarget(what, quotes) },
  ]),
  rule(
    "(?:.+ by )?(?:press|pressing|hit|hitting|use|using|push|tap) (?:the )?(?:keys? |keyboard shortcut |shortcut |key combination )?(.+?)( keys?| shortcut| button)?",
    ([what = "", kind = ""], quotes) => toPress(what, kind.trim().toLowerCase(), quotes),
  ),
  rule("(?:select|choose|pick|take) (.+?) (?:from|in|under|on) (?:the )?(.+?) menu", ([item = "", menu = ""], quotes) =>
    path([menu, item], quotes),
  ),
  rule(
    "(?:in|from|under|on) (?:the )?(.+?) menu,? (?:select|choose|pick|click|click on|take|open) (.+)",
    ([menu = "", item = ""], quotes) => path([menu, item], quotes),
  ),
  rule("(?:(?:select|choose|pick|open|click|click on|go to|use) )?(?:the )?(.+ > .+)", ([steps = ""], quotes) =>
    path(steps.split(/ > /), quotes),
  ),
  rule(
    "(?:select|choose|pick|set) (.+?) (?:from|in|for) (?:the )?(.+?)( list| dropdown| drop-down| drop down| combo box| combobox| selector| field)",
    ([option = "", from = "", kind = ""], quotes) => toChoose(option, from, kind, quotes),
  ),
  rule("open (?:the )?(?:context|right-click|popup) menu (?:of|for|on) (.+)", ([what = ""], quotes) => [
    { do: "click", target: readTarget(what, quotes), count: 1, button: "right" },
  ]),
  rule("(double|right|triple)[- ]?click (.+)", ([how = "", what = ""], quotes) => {
    const count = { double: 2, triple: 3 }[how.toLowerCase()] ?? 1;
    return [
      {
        do: "click",
        target: readTarget(what, quotes),
        count,
        button: how.toLowerCase() === "right" ? "right" : "left",
      },
    ];
  }),
  rule(
    "(?:click|tap|push|select|choose|pick|open|go(?: back)? to|switch(?: back)? to|follow|focus|activate|expand|toggle|visit)(?: on)? (.+?)( once| twice| three times)?",
    ([what = "", often = ""], quotes) => {
      const count = { twice: 2, "three times": 3 }[often.trim().toLowerCase()] ?? 1;
      const target = readTarget(what, quotes);
      return isOpenEnded(target) ? undefined : [{ do: "click", target, count, button: "left" }];
    },
  ),
];

function readClause(clause: string, quotes: readonly string[]): readonly Step[] {
  for (const { pattern, read } of rules) {
    const found = pattern.exec(clause);
    const steps =
      found &&
      read(
        found.slice(1).map((group) => group ?? ""),
        quotes,
      );
    if (steps && steps.length > 0) return steps;
  }
  return [];
}

/** A name has few words; a sentence is a wish. */
function isOpenEnded({ name, isQuoted }: Target): boolean {
  return !isQuoted && name.split(/\s+/).length > 6;
}

function toWait(what: string, quotes: readonly string[]): Step | undefined {
  const quoted = onlyQuote(what, quotes);
  if (quoted !== undefined) return { do: "wait", text: quoted, ms: undefined };
  const name = unmask(what, quotes)
    .replaceAll('"', "")
    .replace(/ (?:window|dialog|page|message|text)$/i, "")
    .trim();
  return name.split(/\s+/).length > 6 ? undefined : { do: "wait", text: name, ms: undefined };
}

function toType(
  what: string,
  quotes: readonly string[],
  field: string | undefined,
  replaces: boolean,
): Step | undefined {
  const typed = onlyQuote(what, quotes) ?? (/⟦/.test(what) ? undefined : what);
  if (typed === undefined || typed === "") return undefined;
  // "the text below" says where the text is, not what it is.
  if (/^(?:below|above|here|shown|displayed|following|given|it|this|that|them|these|those)$/i.test(what))
    return undefined;
  const into = field === undefined ? undefined : readTarget(field, quotes);
  if (into && isOpenEnded(into)) return undefined;
  return { do: "type", text: typed, into, replaces };
}

function toDrag(target: Target, onto: Target): readonly Step[] | undefined {
  return isOpenEnded(target) || isOpenEnded(onto) ? undefined : [{ do: "drag", target, onto }];
}

function toScroll(where: string, often: string): Step {
  const count =
    { twice: 2, two: 2, three: 3, four: 4, five: 5 }[often.split(" ")[0] ?? ""] ?? (Number.parseInt(often, 10) || 1);
  // A page is rarely longer than a hundred wheel notches.
  if (where === "bottom" || where === "end") return { do: "scroll", direction: "down", amount: 100 };
  if (where === "top") return { do: "scroll", direction: "up", amount: 100 };
  return {
    do: "scroll",
    direction: where === "up" || where === "left" || where === "right" ? where : "down",
    amount: 3 * count,
  };
}

/** "press" is used for keys and for buttons. The screen may have to decide which. */
function toPress(what: string, kind: string, quotes: readonly string[]): readonly Step[] | undefined {
  const quoted = onlyQuote(what, quotes);
  const target = readTarget(kind === "button" ? `${what} button` : what, quotes);
  if (isOpenEnded(target)) return undefined;
  const click = { do: "click", target, count: 1, button: "left" } as const;
  const word = unmask(what, quotes).trim();
  const key = toKey(word);
  // "Tab" is a key first, and a kind of element second.
  const isNamed = target.role !== undefined && target.name !== "";
  if (kind === "button" || quoted !== undefined || isNamed || key === undefined) return [click];
  return [
    {
      do: "press",
      word,
      key,
      target: { ...target, role: undefined },
      isKey: kind.startsWith("key") || kind === "shortcut",
    },
  ];
}

function toKey(word: string): string | undefined {
  const plain = word
    .replace(/ (?:arrow|key)$/i, "")
    .replace(/^arrow /i, "")
    .replaceAll(/\s*\+\s*(?=\S)/g, "+")
    .replaceAll(/(?<=\w) (?=\w)/g, "");
  try {
    parseChord({ key: plain });
    return plain.toLowerCase() === "return" ? "enter" : plain;
  } catch {
    return undefined;
  }
}

function path(names: readonly string[], quotes: readonly string[]): readonly Step[] {
  return names.map((phrase, index) => {
    const plain = phrase
      .trim()
      .replace(/^the /i, "")
      .replace(/ menu$/i, "");
    const quoted = onlyQuote(plain, quotes);
    const name = quoted ?? unmask(plain, quotes);
    const common = { name, isQuoted: quoted !== undefined, ordinal: undefined, within: undefined };
    const target = index === 0 ? { ...common, role: "menu" } : { ...common, role: undefined, isEntry: true };
    return { do: "click", target, count: 1, button: "left" };
  });
}

function toChoose(option: string, from: string, kind: string, quotes: readonly string[]): readonly Step[] {
  const place = readTarget(`${from}${kind}`, quotes);
  const target = readTarget(option, quotes);
  // "from the list" names no list, so click the option itself.
  if (place.name === "" || /^ ?list$/i.test(from)) return [{ do: "click", target, count: 1, button: "left" }];
  return [{ do: "choose", option: target, from: place }];
}
