/** Squares of a grid that touch each other; edges are [left, right). */
export interface Island {
  left: number;
  top: number;
  right: number;
  bottom: number;
  squares: number;
}

/**
 * Explores one island, starting from one of its squares. `take` returns whether a square belongs to it, and true only
 * once per square.
 */
export function explore(start: number, columns: number, count: number, take: (at: number) => boolean): Island {
  const island: Island = { left: columns, top: Infinity, right: 0, bottom: 0, squares: 0 };
  const open = take(start) ? [start] : [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const column = at % columns;
    const row = Math.floor(at / columns);
    island.left = Math.min(island.left, column);
    island.right = Math.max(island.right, column + 1);
    island.top = Math.min(island.top, row);
    island.bottom = Math.max(island.bottom, row + 1);
    island.squares += 1;
    if (at >= columns && take(at - columns)) open.push(at - columns);
    if (at + columns < count && take(at + columns)) open.push(at + columns);
    if (column > 0 && take(at - 1)) open.push(at - 1);
    if (column + 1 < columns && take(at + 1)) open.push(at + 1);
  }
  return island;
}
