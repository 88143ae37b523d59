import { poll } from "../../../base/async.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App } from "./app.ts";
import { isShowing, readChildren, readElement, readExtents, type Element } from "./element.ts";
import { roleNumber, roleOf } from "./names.ts";
import { pooled } from "./pool.ts";
import { readContent } from "./text.ts";

const longestMs = 3000;
const everyMs = 60;
/** Enough to find one element of each kind on a page. */
const samples = 40;
const deepest = 16;
const widest = 120;
const namedRoles = new Set(["button", "link", "heading", "checkbox", "radio", "tab", "textbox"]);

/**
 * Firefox fetches names, texts, places, ids and visibility from its pages when the first of each kind is requested,
 * and returns nothing until they have arrived. Requests all kinds, and waits until the answers stay the same.
 */
export async function warmUp(app: App, options: BusCallOptions): Promise<void> {
  let last = "";
  const look = async (): Promise<true | undefined> => {
    const inside = await firstOfPages(app, options);
    const now = JSON.stringify(await pooled(inside, (element) => ask(app, element, options)));
    const isSame = now === last;
    last = now;
    return isSame && (inside.length === 0 || isKnown(inside)) ? true : undefined;
  };
  await poll(look, { timeoutMs: longestMs, everyMs, signal: options.signal });
}

/**
 * Walks the tree, because `Cache.GetItems` includes a window only if somebody was already listening when it opened.
 */
async function firstOfPages(app: App, options: BusCallOptions): Promise<readonly Element[]> {
  const found: Element[] = [];
  let level: readonly { readonly path: string; readonly isInPage: boolean }[] = [{ path: rootPath, isInPage: false }];
  for (let depth = 0; depth < deepest && level.length > 0 && found.length < samples; depth++) {
    const lists = await pooled(level, async ({ path, isInPage }) =>
      (await readChildren(app, path, options)).slice(0, samples).map((child) => ({ path: child, isInPage })),
    );
    const next = lists.flat().slice(0, widest);
    const elements = await pooled(next, ({ path }) => readElement(app, path, options));
    level = next.flatMap(({ path, isInPage }, index) => {
      const element = elements[index];
      if (!element || (!isInPage && !isShowing(element))) return [];
      if (isInPage) found.push(element);
      return [{ path, isInPage: isInPage || element.role === roleNumber.documentWeb }];
    });
  }
  return found.slice(0, samples);
}

/** The top of a page is visible, and most elements that normally have a name have one. */
function isKnown(elements: readonly Element[]): boolean {
  const named = elements.filter(({ role }) => namedRoles.has(roleOf(role)));
  return elements.some(isShowing) && named.filter(({ name }) => name === "").length * 2 <= named.length;
}

async function ask(app: App, { path, name, states }: Element, options: BusCallOptions): Promise<unknown> {
  const [content, place, attributes] = await Promise.all([
    readContent(app, path, 40, options),
    readExtents(app, path, options),
    optional(app.call<[ReadonlyMap<string, string>]>(path, "Accessible.GetAttributes", "", [], options)),
    optional(app.call(path, "Action.GetActions", "", [], options)),
    optional(app.call(path, "Accessible.GetRelationSet", "", [], options)),
    optional(app.get(path, "Value.CurrentValue", options)),
  ]);
  return [name, states, content?.length, place, attributes?.[0].get("id")];
}
