type Row = Readonly<Record<string, unknown>>;

/** What a person wants to know about a window, in the order in which they look for it. */
export function toWindowRow(row: Row): Row {
  const { window_id, title, app_name, pid, bounds, kind } = row;
  return { id: window_id, title, app: app_name, pid, place: bounds, state: stateOf(row, String(kind)) };
}

export const isWindow = (row: Row): boolean =>
  ["window_id", "title", "app_name", "is_foreground"].every((key) => key in row);

function stateOf(row: Row, kind: string): string {
  const states = [
    ["active", row["is_foreground"] === true],
    ["minimized", row["is_minimized"] === true],
    ["maximized", row["is_maximized"] === true],
    ["fullscreen", row["is_fullscreen"] === true],
    ["hidden", row["is_visible"] === false && row["is_minimized"] !== true],
    ["blocked", row["is_blocked"] === true],
    [kind, kind !== "normal"],
  ] as const;
  return states.flatMap(([name, holds]) => (holds ? [name] : [])).join(", ");
}
