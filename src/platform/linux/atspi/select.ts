import { nothingToDo } from "../../../base/node.ts";
import { ToolError } from "../../../base/errors.ts";
import { press } from "./act.ts";
import { optional } from "./app.ts";
import { readElement, readParent, type Element } from "./element.ts";
import { hasInterface, hasState, roleOf, stateBit } from "./names.ts";
import { quirksOf } from "./quirks.ts";
import { becomes, needEnabled, notDispatchable, showTarget, type Target } from "./target.ts";
import { readIndex } from "./visible-range.ts";

/** A cell contains at most a few levels of boxes and labels. */
const deepest = 6;

/** Selects the element, or the row it is in. */
export async function select(target: Target): Promise<string> {
  needEnabled(target);
  const found = roleOf(target.element.role) === "radio" ? undefined : await findContainer(target);
  if (!found) return pressToSelect(target);
  const { item, container } = found;
  const selects = { ...target, element: item };
  if (isSelected(item)) return nothingToDo;
  // In a table a child is a cell. In GTK 3 selecting a cell does nothing; its row can be selected.
  const ways = [
    ...(hasInterface(container.interfaces, "Table") ? [selectRow] : []),
    ...(hasInterface(container.interfaces, "Selection") && quirksOf(target.app.toolkit).tellsPage ? [selectChild] : []),
  ];
  for (const way of ways) {
    const via = await way(selects, container);
    if (via && (await becomes(selects, isSelected))) return via;
  }
  return pressToSelect(target);
}

const isSelected = ({ states }: Element): boolean => hasState(states, stateBit.selected);

/** The nearest ancestor that keeps a selection, and its child that contains the element. */
async function findContainer(target: Target): Promise<{ item: Element; container: Element } | undefined> {
  const { app, options } = target;
  let item = target.element;
  for (let depth = 0; depth < deepest; depth++) {
    const parent = await readParent(app, item.path, options);
    const container = parent === undefined ? undefined : await readElement(app, parent, options);
    if (!container) return undefined;
    if (hasInterface(container.interfaces, "Selection") || hasInterface(container.interfaces, "Table")) {
      // An element on the page of a tab is not the tab.
      const isItem = item === target.element || rows.has(roleOf(item.role));
      return isItem ? { item, container } : undefined;
    }
    item = container;
  }
  return undefined;
}

const rows = new Set(["row", "cell", "listitem", "treeitem"]);

async function selectChild({ app, element, options }: Target, container: Element): Promise<string | undefined> {
  const index = await readIndex(app, element.path, options);
  if (index === undefined || index < 0) return undefined;
  if (hasState(container.states, stateBit.multiselectable)) {
    await optional(app.call(container.path, "Selection.ClearSelection", "", [], options));
  }
  const reply = await optional(app.call(container.path, "Selection.SelectChild", "i", [index], options));
  return reply && "Selection.SelectChild";
}

async function selectRow({ app, element, options }: Target, container: Element): Promise<string | undefined> {
  const index = await readIndex(app, element.path, options);
  if (index === undefined || index < 0) return undefined;
  const row = await optional(app.call<[number]>(container.path, "Table.GetRowAtIndex", "i", [index], options));
  if (!row || row[0] < 0) return undefined;
  const selected = await selectedRows(app, container.path, options);
  const reply = await optional(app.call(container.path, "Table.AddRowSelection", "i", row, options));
  if (!reply) return undefined;
  // A click selects this row alone.
  const others = selected.filter((each) => each !== row[0]);
  for (const other of others) {
    await optional(app.call(container.path, "Table.RemoveRowSelection", "i", [other], options));
  }
  return others.length > 0 ? "Table.AddRowSelection, RemoveRowSelection" : "Table.AddRowSelection";
}

// Each cell has to be asked about; in larger tables only whole rows are known.
const mostCells = 4_000;

/** The rows that are selected, whole or in part. */
async function selectedRows(app: Target["app"], path: string, options: Target["options"]): Promise<readonly number[]> {
  const whole = await optional(app.call<[readonly number[]]>(path, "Table.GetSelectedRows", "", [], options));
  if (!quirksOf(app.toolkit).selectsCells) return whole?.[0] ?? [];
  const read = (name: string) => optional(app.get<number>(path, `Table.${name}`, options));
  const [rowCount = 0, columnCount = 0] = await Promise.all(["NRows", "NColumns"].map(read));
  if (columnCount < 2 || rowCount * columnCount > mostCells) return whole?.[0] ?? [];
  const cells = Array.from({ length: rowCount * columnCount }, (_, index) => Math.floor(index / columnCount));
  const marked = await Promise.all(
    cells.map((row, index) =>
      optional(app.call<[boolean]>(path, "Table.IsSelected", "ii", [row, index % columnCount], options)),
    ),
  );
  return [...new Set(cells.filter((_row, index) => marked[index]?.[0] === true))];
}

/** In some toolkits tabs and radio buttons are selected by pressing them. */
async function pressToSelect(target: Target): Promise<string> {
  const role = roleOf(target.element.role);
  if (role === "tab" || role === "radio" || role === "menuitem" || role === "listitem") {
    const via = await press(target);
    // Radio buttons become checked; Qt reports the tab in front as focused.
    const marks = [stateBit.selected, stateBit.checked, ...(role === "tab" ? [stateBit.focused] : [])];
    if (await becomes(target, ({ states }) => marks.some((bit) => hasState(states, bit)))) return via;
    throw notDispatchable(target, `accepted ${via} but was not selected`, "Click it instead.");
  }
  if (role === "cell" || role === "row" || role === "treeitem") {
    throw notDispatchable(target, "could not be selected", "Click it instead.");
  }
  throw new ToolError("no_row_ancestor", `${showTarget(target)} is not inside a row that can be selected.`, {
    hint: "Use ax_click for buttons and links.",
  });
}
