import { DBusError } from "../dbus/errors.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App, type Ref } from "./app.ts";
import { roleNumber } from "./names.ts";
import { quirksOf } from "./quirks.ts";

// AtspiCollectionMatchType and AtspiCollectionSortOrder.
const [matchAll, matchAny, canonical] = [1, 2, 1];
const signature = "(aiia{ss}iaiiasib)uib";
const roleWords = 4;

/** Paths of all password fields below, shown or not, found by the program itself; undefined where it cannot search. */
export async function findSecretPaths(
  app: App,
  below: readonly string[] | undefined,
  options: BusCallOptions,
): Promise<readonly string[] | undefined> {
  if (!quirksOf(app.toolkit).hasCollection) return undefined;
  const roles = Array.from({ length: roleWords }, (_, word) =>
    word === roleNumber.passwordText >> 5 ? 1 << (roleNumber.passwordText & 31) : 0,
  );
  const rule = [[0, 0], matchAll, new Map<string, string>(), matchAll, roles, matchAny, [], matchAll, false];
  try {
    const found = await Promise.all(
      (below ?? [rootPath]).map(async (path) => {
        const args = [rule, canonical, 0, true];
        const asking = app.call<[readonly Ref[]]>(path, "Collection.GetMatches", signature, args, options);
        // What is below an element that has gone has gone too.
        const [refs] = (below ? await optional(asking) : await asking) ?? [[]];
        return refs.map(([, each]) => each);
      }),
    );
    return found.flat();
  } catch (error) {
    if (error instanceof DBusError && !error.isGone) return undefined;
    throw error;
  }
}
