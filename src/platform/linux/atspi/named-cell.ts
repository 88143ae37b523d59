import type { BusCallOptions } from "../dbus/method.ts";
import type { App } from "./app.ts";
import { readElement } from "./element.ts";
import { readCell } from "./grid.ts";
import { hasInterface } from "./names.ts";
import type { Walked } from "./walk.ts";

/** "B500": letters for the column, then the row, as spreadsheets name their cells. */
const address = /^([a-z]{1,3})([1-9]\d{0,6})$/i;

/** Row and column that a cell's name means, from 0 on; undefined when it is no such name. */
export function placeOf(name: string): { readonly row: number; readonly column: number } | undefined {
  const [, letters, digits] = address.exec(name) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  const column = [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return { row: Number(digits) - 1, column: column - 1 };
}

/** The cell of that name in a table that was read in part: it is asked for by its place, without reading any other. */
export async function findNamedCell(
  app: App,
  walked: readonly Walked[],
  name: string,
  options: BusCallOptions,
): Promise<Walked | undefined> {
  const place = placeOf(name);
  const isNamed = (own: string): boolean => own.toLowerCase() === name.toLowerCase();
  if (!place || walked.some(({ element }) => isNamed(element.name))) return undefined;
  const isPartial = ({ element, children }: Walked): boolean => element.childCount > children.length;
  const tables = walked.filter((each) => isPartial(each) && hasInterface(each.element.interfaces, "Table"));
  for (const table of tables) {
    const path = await readCell(app, table.element.path, place, options);
    const element = path === undefined ? undefined : await readElement(app, path, options);
    if (!element || !isNamed(element.name)) continue;
    return {
      element,
      parent: table,
      topLevel: table.topLevel,
      extents: undefined,
      clip: undefined,
      children: [],
      omitted: 0,
    };
  }
  return undefined;
}
