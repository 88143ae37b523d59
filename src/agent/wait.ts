import { poll, sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { centre, contains } from "../base/geometry.ts";
import type { AgentAction } from "./action.ts";
import type { Caller } from "../tools/caller.ts";
import { nothing, type Seen } from "./seen.ts";
import { openEyes, type Eyes, type SeenElement } from "./eyes.ts";
import { appArguments, listWindows, onDesktop, type Workplace } from "./workplace.ts";

interface WaitOptions {
  readonly call: Caller;
  readonly place: Workplace;
  readonly signal: AbortSignal;
}

const waitMs = 10_000;

/** Waits until a text is seen, on an element, in the picture or in a window title; or for a time. */
export async function wait({ target, ms }: AgentAction, { call, place, signal }: WaitOptions): Promise<Seen> {
  if (!target) {
    await sleep(ms ?? 1_000, signal);
    return { ...nothing, effect: "unverifiable" };
  }
  const wanted = target.trim();
  const find = number.test(wanted)
    ? () =>
        findResult(
          wanted,
          openEyes(call, () => place),
        )
    : () => findText(target, { call, place, signal });
  const found = await poll(find, { timeoutMs: ms ?? waitMs, everyMs: 150, signal });
  if (found !== undefined) return { ...nothing, effect: "confirmed", changes: [found] };
  throw new ToolError("timeout", `"${target}" did not appear within ${ms ?? waitMs} ms.`);
}

async function findText(target: string, { call, place }: WaitOptions): Promise<string | undefined> {
  const windows = onDesktop(place) ? await listWindows(call) : [];
  const named = windows.find(({ title }) => title.toLowerCase().includes(target.toLowerCase()));
  if (named) return `window "${named.title}"`;
  const found = await call("find_text", { text: target, ...appArguments(place) }).catch(orNothing);
  return found && found.data.matches.length > 0 ? `"${target}" is there` : undefined;
}

const number = /^[-+−]?[\d.,]*\d$/;
const keys = new Set(["button", "togglebutton", "menuitem", "link", "tab", "radio", "checkbox"]);

/** Waiting for a number means waiting for a result: that number alone, not the calculator key with that label. */
async function findResult(wanted: string, eyes: Eyes): Promise<string | undefined> {
  const elements = await eyes.elements();
  const isIt = (text: string | number | undefined): boolean => String(text ?? "").trim() === wanted;
  const labels = elements.filter(({ role }) => keys.has(role)).flatMap(({ bounds }) => (bounds ? [bounds] : []));
  const isLabel = ({ role, bounds }: SeenElement): boolean =>
    keys.has(role) || (bounds !== undefined && labels.some((label) => contains(label, centre(bounds))));
  const shown = elements.find((element) => (isIt(element.value) || isIt(element.name)) && !isLabel(element));
  if (shown) return `${shown.role} "${wanted}"`;
  if (elements.length > 0) return undefined;
  const texts = await eyes.textsLike(wanted);
  return texts.some(({ text }) => isIt(text)) ? `"${wanted}" is there` : undefined;
}

/** An app that is just closing its window, or starting, has no text yet. */
function orNothing(error: unknown): undefined {
  if (error instanceof ToolError && !["denied", "cancelled"].includes(error.code)) return undefined;
  throw error;
}
