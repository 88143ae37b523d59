/** The runs of edge pixels of each row, as first, last, first, last, … */
export type Rows = readonly Uint16Array[];

/** Edge pixels that touch each other: a letter, part of one, an icon, a frame. Edges of the box are [left, right). */
export interface Component {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** The number of edge pixels, and of the runs they form. */
  pixels: number;
  runs: number;
  /** The length of the longest run. */
  longest: number;
}

export interface Grouping {
  readonly components: readonly Component[];
  /** The component of each run, in order through all rows. */
  readonly owners: Int32Array;
}

/** Joins the runs of neighbouring rows that touch, including diagonally. */
export function findComponents(runs: Rows): Grouping {
  let total = 0;
  for (const row of runs) total += row.length / 2;
  // Each run points to an earlier one in the same component; the first one points to itself.
  const leads = new Int32Array(total);
  let next = 0;
  let aboveAt = 0;
  let above: Uint16Array = new Uint16Array(0);
  for (const row of runs) {
    const rowAt = next;
    let candidate = 0;
    for (let i = 0; i < row.length; i += 2) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      leads[next] = next;
      while (candidate < above.length && (above[candidate + 1] as number) + 1 < first) candidate += 2;
      for (let other = candidate; other < above.length && (above[other] as number) <= last + 1; other += 2) {
        join(leads, aboveAt + other / 2, next);
      }
      next++;
    }
    aboveAt = rowAt;
    above = row;
  }
  return collect(runs, leads);
}

function join(leads: Int32Array, a: number, b: number): void {
  const one = firstOf(leads, a);
  const other = firstOf(leads, b);
  if (one < other) leads[other] = one;
  else leads[one] = other;
}

/** The first run of a component; halves the path to it on the way. */
function firstOf(leads: Int32Array, run: number): number {
  let at = run;
  for (let to = leads[at] as number; to !== at; to = leads[at] as number) {
    leads[at] = leads[to] as number;
    at = to;
  }
  return at;
}

function collect(runs: Rows, leads: Int32Array): Grouping {
  const owners = new Int32Array(leads.length);
  const components: Component[] = [];
  let run = 0;
  for (let y = 0; y < runs.length; y++) {
    const row = runs[y] as Uint16Array;
    for (let i = 0; i < row.length; i += 2, run++) {
      const first = row[i] as number;
      const last = row[i + 1] as number;
      const length = last - first + 1;
      // An edge is marked on the pixel before the jump, so the ink begins one pixel to the right and below.
      if (leads[run] === run) {
        owners[run] = components.length;
        components.push({
          left: first + 1,
          top: y + 1,
          right: last + 1,
          bottom: y + 1,
          pixels: length,
          runs: 1,
          longest: length,
        });
        continue;
      }
      // A run only points back, so the owner of its target is already known.
      const owner = owners[leads[run] as number] as number;
      const known = components[owner] as Component;
      owners[run] = owner;
      if (first + 1 < known.left) known.left = first + 1;
      if (last + 1 > known.right) known.right = last + 1;
      if (length > known.longest) known.longest = length;
      known.bottom = y + 1;
      known.pixels += length;
      known.runs += 1;
    }
  }
  return { components, owners };
}
