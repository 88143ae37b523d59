import type { Role } from "../../../base/roles.ts";
import { DBusError } from "../dbus/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App, type Ref } from "./app.ts";
import { readChildren, readRole, readStates } from "./element.ts";
import { hasState, roleNumber, roleOf, stateBit, type StateSet } from "./names.ts";
import { pooled } from "./pool.ts";
import { quirksOf } from "./quirks.ts";

// AtspiCollectionMatchType and AtspiCollectionSortOrder.
const [matchAll, matchAny, canonical] = [1, 2, 1];
const signature = "(aiia{ss}iaiiasib)uib";
const roleWords = 4;
// As many elements as an ordinary window has; the program itself searches what is deeper.
const mostWalked = 600;
/** These contain no password fields, and in GTK 3 most elements are one of them. */
const leaves: ReadonlySet<Role> = new Set([
  "button",
  "togglebutton",
  "checkbox",
  "radio",
  "switch",
  "textbox",
  "combobox",
  "spinbutton",
  "slider",
  "progressbar",
  "scrollbar",
  "text",
  "image",
  "separator",
  "tooltip",
  "menubar",
  "menu",
  "menuitem",
]);
/** May have cells that are created when somebody asks for them. */
const mayMakeCells: ReadonlySet<number> = new Set([
  roleNumber.table,
  roleNumber.tree,
  roleNumber.treeTable,
  roleNumber.layeredPane,
]);

/** Paths of all password fields below, visible or not, found by the program itself; undefined if it cannot search. */
export async function findSecretPaths(
  app: App,
  below: readonly string[] | undefined,
  options: BusCallOptions,
): Promise<readonly string[] | undefined> {
  const { hasCollection, searchesCells } = quirksOf(app.toolkit);
  if (!hasCollection) return undefined;
  try {
    if (!searchesCells) return await findBelow(app, below, options);
    const { secrets, unseen } = await walkBoxes(app, below ?? [rootPath], options);
    return [...secrets, ...(await findBelow(app, unseen, options))];
  } catch (error) {
    if (error instanceof DBusError && !error.isGone) return undefined;
    throw error;
  }
}

/**
 * Avoids cells and menus. A GTK 3 program that searches a table creates an object for each of its cells and does not
 * respond meanwhile: 1.5 s for 5000 rows.
 */
async function walkBoxes(
  app: App,
  from: readonly string[],
  options: BusCallOptions,
): Promise<{ readonly secrets: readonly string[]; readonly unseen: readonly string[] }> {
  const secrets: string[] = [];
  let level = from;
  for (let walked = 0; level.length > 0;) {
    const isBox = await pooled(level, async (path) => {
      const role = await readRole(app, path, options);
      if (role === roleNumber.passwordText) secrets.push(path);
      if (role === undefined || leaves.has(roleOf(role))) return false;
      return !mayMakeCells.has(role) || !makesCells(await readStates(app, path, options));
    });
    const boxes = level.filter((_, index) => isBox[index]);
    walked += level.length;
    if (walked > mostWalked) return { secrets, unseen: boxes };
    level = (await pooled(boxes, (path) => readChildren(app, path, options))).flat();
  }
  return { secrets, unseen: [] };
}

const makesCells = (states: StateSet | undefined): boolean =>
  states !== undefined && hasState(states, stateBit.managesDescendants);

async function findBelow(
  app: App,
  below: readonly string[] | undefined,
  options: BusCallOptions,
): Promise<readonly string[]> {
  const roles = Array.from({ length: roleWords }, (_, word) =>
    word === roleNumber.passwordText >> 5 ? 1 << (roleNumber.passwordText & 31) : 0,
  );
  const rule = [[0, 0], matchAll, new Map<string, string>(), matchAll, roles, matchAny, [], matchAll, false];
  const found = await pooled(below ?? [rootPath], async (path) => {
    const args = [rule, canonical, 0, true];
    const asking = app.call<[readonly Ref[]]>(path, "Collection.GetMatches", signature, args, options);
    // If an element is gone, so is everything below it.
    const [refs] = (below ? await optional(asking) : await asking) ?? [[]];
    return refs.map(([, each]) => each);
  });
  return found.flat();
}
