/** The runs of edge pixels of each row, as first, last, first, last, … */
export type Rows = readonly Uint16Array[];

/** Edge pixels that touch each other: a letter, a part of one, an icon, a frame. Edges of the box are [left, right). */
export interface Component {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Edge pixels, and the runs they form. */
  pixels: number;
  runs: number;
  /** Pixels of the longest run. */
  longest: number;
}

export interface Grouping {
  readonly components: readonly Component[];
  /** The component each run belongs to, run by run through all rows. */
  readonly owners: Int32Array;
}

/** Joins the runs of neighbouring rows that touch, also diagonally. */
export function findComponents(runs: Rows): Grouping {
  let total = 0;
  for (const row of runs) total += row.length / 2;
  const parents = new Int32Array(total);
  const rootOf = (run: number): number => {
    let root = run;
    while ((parents[root] as number) !== root) {
      parents[root] = parents[parents[root] as number] as number;
      root = parents[root] as number;
    }
    return root;
  };
  let next = 0;
  let aboveAt = 0;
  let above: Uint16Array = new Uint16Array(0);
  for (const row of runs) {
    const rowAt = next;
    let candidate = 0;
    for (let i = 0; i < row.length; i += 2) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      parents[next] = next;
      while (candidate < above.length && (above[candidate + 1] as number) + 1 < first) candidate += 2;
      for (let other = candidate; other < above.length && (above[other] as number) <= last + 1; other += 2) {
        const a = rootOf(aboveAt + other / 2);
        const b = rootOf(next);
        if (a < b) parents[b] = a;
        else parents[a] = b;
      }
      next++;
    }
    aboveAt = rowAt;
    above = row;
  }
  return collect(runs, parents, rootOf);
}

function collect(runs: Rows, parents: Int32Array, rootOf: (run: number) => number): Grouping {
  const owners = new Int32Array(parents.length);
  const components: Component[] = [];
  const indexOf = new Int32Array(parents.length).fill(-1);
  let run = 0;
  runs.forEach((row, y) => {
    for (let i = 0; i < row.length; i += 2) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      const root = rootOf(run);
      owners[run++] = indexOf[root] === -1 ? components.length : (indexOf[root] as number);
      const known = components[indexOf[root] as number];
      // An edge lies on the pixel before the jump, so the ink begins one pixel further right and down.
      if (known) {
        known.left = Math.min(known.left, first + 1);
        known.right = Math.max(known.right, last + 1);
        known.bottom = y + 1;
        known.pixels += last - first + 1;
        known.runs += 1;
        known.longest = Math.max(known.longest, last - first + 1);
      } else {
        indexOf[root] = components.length;
        components.push({
          left: first + 1,
          top: y + 1,
          right: last + 1,
          bottom: y + 1,
          pixels: last - first + 1,
          runs: 1,
          longest: last - first + 1,
        });
      }
    }
  });
  return { components, owners };
}
