import type { PageDeed, WitnessOptions, Witnessed } from "../page-acts.ts";
import { click, fill, hover, press, type } from "./actions.ts";
import { evaluate } from "./evaluate.ts";
import type { PageInput } from "./input.ts";
import { handleDialog, navigate } from "./navigate.ts";
import type { AttachedPage } from "./attached-page.ts";

/** What only pages can do, each watched by the page itself. */
export function performDeed(
  page: AttachedPage,
  input: PageInput,
  deed: PageDeed,
  options: WitnessOptions,
): Promise<Witnessed> {
  switch (deed.name) {
    case "click":
      return click(page, input, deed.ref, { ...options, double: deed.clicks === 2 });
    case "hover":
      return hover(page, input, deed.ref, options);
    case "fill":
      return fill(page, input, deed.ref, deed, options);
    case "press":
      return press(page, input, deed.chord, options);
    case "type":
      return type(page, input, deed.text, deed.submit, options);
    case "dialog":
      return handleDialog(page, deed.accept, deed.text, options);
    case "navigate":
      return navigate(page, deed.to, { ...options, timeoutMs: deed.timeoutMs });
    case "evaluate":
      return evaluate(page, deed.code, deed.args, { ...options, timeoutMs: deed.timeoutMs });
  }
}
