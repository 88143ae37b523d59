import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App } from "./app.ts";
import { roleNumber } from "./names.ts";
import type { Ref } from "./app.ts";

// Deeper than any real page.
const deepest = 200;

/**
 * How much larger the element's coordinates are than those of its window. On a high-density screen Chromium uses
 * logical pixels in its own windows and physical ones in its pages.
 */
export async function pageScaleOf(app: App, path: string, options: BusCallOptions): Promise<number> {
  return app.pageScale === 1 || !(await isInPage(app, path, options)) ? 1 : app.pageScale;
}

async function isInPage(app: App, path: string, options: BusCallOptions): Promise<boolean> {
  const passed: string[] = [];
  let found: boolean | undefined;
  for (let current = path; found === undefined && passed.length < deepest;) {
    found = app.inPage.get(current);
    if (found !== undefined) break;
    passed.push(current);
    const [role, parent] = await Promise.all([
      optional(app.call<[number]>(current, "Accessible.GetRole", "", [], options)),
      optional(app.get<Ref>(current, "Accessible.Parent", options)),
    ]);
    if (role?.[0] === roleNumber.documentWeb) found = true;
    else if (!parent || parent[0] !== app.name || parent[1] === rootPath) found = false;
    else current = parent[1];
  }
  for (const each of passed) app.inPage.set(each, found ?? false);
  return found ?? false;
}
