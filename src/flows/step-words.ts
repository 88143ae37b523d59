import { durationOf, expectedWords, placeOf, wordsOf, type Step } from "../tools/steps.ts";

/** A step in words, for progress and answers. Text that is entered is not repeated: it may be a secret. */
export function stepWords(step: Step): string {
  const words = [step.verb, detailOf(step)].filter((word) => word !== "").join(" ");
  return step.surface === undefined ? words : `${words} on ${step.surface}`;
}

function detailOf(step: Step): string {
  switch (step.verb) {
    case "launch":
    case "close":
      return typeof step.with === "string" ? quoted(step.with) : named(step.with);
    case "open":
      return quoted(typeof step.with === "string" ? step.with : "url" in step.with ? step.with.url : step.with.file);
    case "click":
    case "read":
      return wordsOf(placeOf(step.with));
    case "type":
      return typeof step.with === "string" || step.with.into === undefined ? "text" : `into ${wordsOf(step.with.into)}`;
    case "fill":
      return wordsOf(step.with.into);
    case "press":
      return typeof step.with === "string"
        ? step.with
        : `${step.with.key}${step.with.times ? ` ×${step.with.times}` : ""}`;
    case "select":
      return typeof step.with === "object" && "option" in step.with
        ? `${quoted(step.with.option)} from ${wordsOf(step.with.from)}`
        : wordsOf(step.with);
    case "check":
    case "uncheck":
    case "hover":
      return wordsOf(step.with);
    case "drag":
      return `${wordsOf(step.with.from)} to ${wordsOf(step.with.to)}`;
    case "scroll":
      return typeof step.with === "string"
        ? step.with
        : [step.with.direction ?? "down", step.with.until && `until ${wordsOf(step.with.until)}`]
            .filter(Boolean)
            .join(" ");
    case "back":
      return "";
    case "swipe":
      return typeof step.with === "string" ? step.with : `${wordsOf(step.with.from)} to ${wordsOf(step.with.to)}`;
    case "wait":
      if (typeof step.with === "number") return `${step.with} ms`;
      return typeof step.with === "string" && durationOf(step.with) !== undefined
        ? step.with
        : expectedWords(step.with);
    case "expect":
      return expectedWords(step.with);
    case "screenshot":
      return step.with === true ? "" : quoted(typeof step.with === "string" ? step.with : step.with.file);
  }
}

const quoted = (text: string): string => JSON.stringify(text);

const named = ({ app, window }: { readonly app?: string | undefined; readonly window?: string | undefined }): string =>
  app === undefined ? `window ${quoted(window ?? "")}` : quoted(app);
