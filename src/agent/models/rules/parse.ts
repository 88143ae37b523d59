import { parseChord } from "../../../base/keys.ts";
import { splitClauses, startsWithVerb } from "./clauses.ts";
import { readItems } from "./items.ts";
import { hasQuote, mask, onlyQuote, quote, unmask } from "./quotes.ts";
import { problemIn, type Step } from "./step.ts";
import { readTarget, unnamedPlace, type Target } from "./target.ts";

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
  let before = "";
  let verb = "";
  return splitClauses(masked.text).flatMap((clause): readonly Clause[] => {
    const said = unmask(clause, quotes);
    const whole = readClause(clause, quotes);
    // "click 5 and then the plus sign": a missing verb is taken from the previous clause.
    const isRest = whole.length === 0 && verb !== "" && continues(before, clause, verb);
    const steps = isRest ? readClause(`${verb} ${clause}`, quotes) : whole;
    verb = steps.at(-1)?.do === "type" ? "enter" : (spoken.exec(clause)?.[1] ?? (whole.length > 0 ? "" : verb));
    before = clause;
    const problem = steps.length > 0 ? steps.map(problemIn).find((each) => each !== undefined) : problemOf(clause);
    return problem === undefined ? steps.map((step) => ({ said, step })) : [{ said, step: undefined, problem }];
  });
}

const spoken = /^(click|press|tap|hit|push|select|choose)\b/i;

/** Whether the previous clause's verb applies to this one: it is just a name, or one more field or text. */
function continues(before: string, clause: string, verb: string): boolean {
  if (startsWithVerb.test(clause)) return false;
  // A bare word may be a verb that is not known.
  if (verb !== "enter") return /^(?:the |[^\p{L}])/iu.test(clause) && clause.split(/\s+/).length <= 4;
  if (/^⟦\d+⟧ (?:in|into) /i.test(clause)) return new RegExp(`^${typing} ${quote} `, "iu").test(before);
  // An unknown verb before a text must not be taken for the name of a field.
  const named = labelled.exec(startsWithVerb.test(before) ? before : `enter ${before}`);
  return named !== null && (named[1] === undefined || /^(?:the|your) /i.test(clause));
}

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
/** What a text to type is, which is also the name of its field: "the username". */
const label = "(?:the |your |a )?((?!(?:the|your|a|text|words?|value|number) )\\p{L}[\\p{L} -]*?)";
const labelled = new RegExp(
  `^(?:${typing}|fill (?:in|out)(?: the)?(?: form)?:?) (the |your )?(?!(?:the|your|text|words?|value|number) )\\p{L}[\\p{L} -]*? ${quote}(?: (?:in|into) .*)?$`,
  "iu",
);
const number = `(${quote}|[-+−]?\\d[\\d.,]*)`;
const scale = "(?:slider|spinner|spin ?button|spin box|number field)";

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
  rule(
    `(?:select|choose|pick|set|enter) ${number} (?:with|using|on|in) (.*${scale})`,
    ([what = "", field = ""], quotes) => toType(what, quotes, field, true),
  ),
  rule(`(?:set|move|drag|slide|change|turn) (.*${scale}) to ${number}`, ([field = "", what = ""], quotes) =>
    toType(what, quotes, field, true),
  ),
  rule(
    "(click(?: on)?|select|choose|pick|check|tick|uncheck|untick) (.+?)((?: (?:from|in) (?:the )?[^,⟦]+)?)",
    ([verb = "", phrase = "", place = ""], quotes) => toSeveral(verb, phrase, place, quotes),
  ),
  rule(
    "(?:close|dismiss) (.+?) by (clicking(?: on)?|pressing|hitting|using) (.+)",
    ([what = "", how = "", means = ""], quotes) => toClose(what, how, means, quotes),
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
    "scroll (?:to )?(?:the )?(?:very )?(up|down|left|right|bottom|top|end)(?: of (?:the )?(?:page|window|document|screen))?(?: (once|twice|a bit|a little|(?:\\d+|two|three|four|five) times))?",
    ([where = "", often = ""]) => [toScroll(where.toLowerCase(), often.toLowerCase())],
  ),
  rule(`fill (?:in|out)(?: the)?(?: form)?:? (.+?) ?:? (${quote})`, ([field = "", what = ""], quotes) =>
    / with$/i.test(field) ? undefined : toType(what, quotes, field, true),
  ),
  rule(`(?:fill|fill in|fill out) (.+?) with ${text}`, ([field = "", what = ""], quotes) =>
    toType(what, quotes, field, true),
  ),
  rule(`(?:set|change|replace|update) (.+?) (?:to|with|by) ${text}`, ([field = "", what = ""], quotes) =>
    toType(what, quotes, field, true),
  ),
  // "Enter the username "x" and the password "y" into the text fields": their names say which fields.
  rule(
    `${typing} ${label} (${quote})(?: (?:in|into) (?:the |their )?(?:text |input |form )*(?:fields|boxes|inputs|form))?`,
    ([field = "", what = ""], quotes) => toType(what, quotes, field, true),
  ),
  rule(`${typing} ${label} (${quote}) (?:in|into|inside) (.+)`, ([, what = "", field = ""], quotes) =>
    toType(what, quotes, field, true),
  ),
  rule(`${typing} ${text} (?:in|into|inside|in to|to|as) (.+)`, ([what = "", field = ""], quotes) =>
    toType(what, quotes, field, false),
  ),
  rule(`(?:in|into|inside|on) (.+?),? ${typing} ${text}`, ([field = "", what = ""], quotes) =>
    toType(what, quotes, field, false),
  ),
  rule(`([\\p{L}][\\p{L}\\d ]*|${quote}) ?: ?(?:${typing} )?(${quote})`, ([field = "", what = ""], quotes) =>
    toType(what, quotes, field, false),
  ),
  rule(`${typing} ${text}`, ([what = ""], quotes) => toType(what, quotes, undefined, false)),
  rule("(?:clear|empty|erase)(?: out)? (.+)", ([what = ""], quotes) => [
    { do: "clear", into: readTarget(what, quotes) },
  ]),
  rule(
    "(?:press|hit|use|push|tap) (?:the )?(?:keys? |keyboard shortcut |shortcut |key combination )?(.+?)( keys?| shortcut| button)?",
    ([what = "", kind = ""], quotes) => toPress(what, kind.trim().toLowerCase(), quotes),
  ),
  rule("(?:select|choose|pick|take) (.+?) (?:from|in|under|on) (?:the )?(.+?) menu", ([item = "", menu = ""], quotes) =>
    path([menu, item], quotes),
  ),
  rule(
    "(?:in|from|under|on) (?:the )?(.+?) menu,? (?:select|choose|pick|click|click on|take|open) (.+)",
    ([menu = "", item = ""], quotes) => path([menu, item], quotes),
  ),
  rule("(?:(?:select|choose|pick|open|click|click on|go to|use) )?(?:the )?(.+ ?> ?.+)", ([steps = ""], quotes) =>
    path(steps.split(/ ?> ?/), quotes),
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
    "(click|tap|push|select|choose|pick|open|go(?: back)? to|switch(?: back)? to|follow|focus|activate|expand|toggle|visit)(?: on)? (.+?)( once| twice| three times)?",
    ([verb = "", what = "", often = ""], quotes) => {
      const count = { twice: 2, "three times": 3 }[often.trim().toLowerCase()] ?? 1;
      const target = readTarget(what, quotes);
      const selects = /^(?:select|choose|pick)$/i.test(verb) && count === 1 ? { selects: true } : {};
      return isOpenEnded(target) ? undefined : [{ do: "click", target, count, button: "left", ...selects }];
    },
  ),
];

function readClause(clause: string, quotes: readonly string[]): readonly Step[] {
  const plain = clause.replace(/^find and (?=(?:click|pick|select|choose|press|tap)\b)/i, "");
  for (const { pattern, read } of rules) {
    const found = pattern.exec(plain);
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
  // "Saved" to disappear: more than the text.
  if (hasQuote(what)) return undefined;
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
): readonly Step[] | undefined {
  const typed = onlyQuote(what, quotes) ?? (hasQuote(what) ? undefined : what);
  if (typed === undefined || typed === "") return undefined;
  // "the text below" says where the text is, not what it is.
  if (/^(?:below|above|here|shown|displayed|following|given|it|this|that|them|these|those)$/i.test(what))
    return undefined;
  if (field === undefined) return [{ do: "type", text: typed, into: undefined, replaces }];
  const pair = /^both (?:the )?(.+?(?:field|box|input|area)(?=s$|es$))/i.exec(field)?.[1];
  const into = readTarget(pair ?? field, quotes);
  if (isOpenEnded(into)) return undefined;
  const fields = pair === undefined ? [into] : [1, 2].map((ordinal) => ({ ...into, ordinal, exactly: 2 }));
  return fields.map((each) => ({ do: "type", text: typed, into: each, replaces }));
}

/** "Select A, B and C from the list": the same for each. */
function toSeveral(
  verb: string,
  phrase: string,
  place: string,
  quotes: readonly string[],
): readonly Step[] | undefined {
  const items = readItems(phrase);
  const steps = items.flatMap((item) => readClause(`${verb} ${item}${place}`, quotes));
  const whole = hasQuote(phrase) || phrase.includes(",") ? undefined : unmask(phrase, quotes);
  const several = steps.flatMap((step, index): readonly Step[] =>
    step.do === "click" || step.do === "check" ? [{ ...step, among: { index, count: items.length, whole } }] : [],
  );
  const isPlain =
    items.length > 1 && steps.length === items.length && several.length === items.length && areAlike(several);
  return isPlain ? several : undefined;
}

/** "the 2nd box and frobnicate": a name after something that is none is not a name. */
function areAlike(steps: readonly Step[]): boolean {
  const kinds = steps.map((step) =>
    "target" in step ? `${step.target.role} ${step.target.ordinal === undefined}` : "",
  );
  return new Set(kinds).size === 1;
}

const shutting = /^(?:the )?(?:.+ )?(?:dialog(?: box)?|pop-?up|window|message)$/i;

/** "Close the dialog by pressing Escape": the step counts only when the dialog is gone. */
function toClose(what: string, how: string, means: string, quotes: readonly string[]): readonly Step[] | undefined {
  if (!shutting.test(what)) return undefined;
  const verb = /^click/i.test(how) ? "click" : "press";
  const [step, ...others] = readClause(`${verb} ${means}`, quotes);
  if (others.length > 0 || (step?.do !== "click" && step?.do !== "press")) return undefined;
  const closes = readTarget(what.replace(/ (?:dialog box|pop-?up|message)$/i, " dialog"), quotes);
  return [{ ...step, closes }];
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
    const leads = index < names.length - 1 ? { leads: true } : {};
    return { do: "click", target, count: 1, button: "left", ...leads };
  });
}

function toChoose(option: string, from: string, kind: string, quotes: readonly string[]): readonly Step[] {
  const unnamed = unnamedPlace(`${from}${kind}`);
  if (unnamed) return click(readTarget(`${option} in the list`, quotes));
  const place = readTarget(`${from}${kind}`, quotes);
  const target = readTarget(option, quotes);
  return place.name === "" && place.role !== "combobox"
    ? click(target)
    : [{ do: "choose", option: target, from: place }];
}

const click = (target: Target): readonly Step[] => [{ do: "click", target, count: 1, button: "left", selects: true }];
