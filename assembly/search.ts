import { cell, gridScratch, layColumns, layRow, table, widest } from "./pattern";

/** Most cells a pattern may have at the level it is searched in. */
const mostCells: i32 = 8192;
/** A pattern whose cells vary less than this (4 of 255 shades) says nothing at this level. */
const leastVariance: f32 = 16 * 16;
const fewestCells: i32 = 12;

const valueBytes: usize = <usize>mostCells << 2;
const insideAt: usize = gridScratch + valueBytes;
const tapsAt: usize = insideAt + <usize>mostCells;
const rectsAt: usize = tapsAt + valueBytes + 4096;
const rowsAt: usize = rectsAt + (<usize>mostCells << 4);
const scoreRow: usize = <usize>(widest + 64) << 2;

/** Bytes of scratch memory each worker needs. */
export function scratchBytes(): i32 {
  return <i32>(rowsAt + scoreRow * 3);
}

/**
 * Lays the pattern over every cell of a level and writes the `keep` best local maxima as (score, column, row), best
 * first. `dropX`, `dropY` pixels are left out at the left and top, so that the pattern's cells and those of the
 * picture show the same pixels. Windows with less than `leastEnergy` or more than `mostEnergy` times the pattern's
 * contrast are passed over. Returns how many were written, or -1 when the pattern has too little detail here.
 */
export function search(
  tables: usize,
  patternWidth: i32,
  patternHeight: i32,
  isMasked: i32,
  scale: f64,
  factor: i32,
  dropX: i32,
  dropY: i32,
  pairs: usize,
  stride: i32,
  width: i32,
  height: i32,
  sums: usize,
  squares: usize,
  sumStride: i32,
  leastEnergy: f32,
  mostEnergy: f32,
  leastScore: f32,
  keep: i32,
  out: usize,
  allScratch: usize,
  worker: i32,
): i32 {
  const scratch = allScratch + <usize>worker * <usize>scratchBytes();
  const columns = <i32>((<f64>patternWidth * scale - <f64>dropX) / <f64>factor + 1e-6);
  const rows = <i32>((<f64>patternHeight * scale - <f64>dropY) / <f64>factor + 1e-6);
  if (columns < 2 || rows < 2 || columns * rows > mostCells) return -1;
  if (columns > width || rows > height) return 0;

  // --- the pattern's cells at this size and level
  const values = scratch + gridScratch;
  const inside = scratch + insideAt;
  const step = <f64>factor / scale;
  const area = step * step;
  layColumns(scratch, patternWidth, <f64>dropX / scale, step, columns);
  const brightness = table(tables, patternWidth, patternHeight, 0);
  const mask = table(tables, patternWidth, patternHeight, 1);
  let upper = layRow(brightness, patternWidth, patternHeight, <f64>dropY / scale, columns, scratch, 0);
  let upperMask: usize = 0;
  if (isMasked) upperMask = layRow(mask, patternWidth, patternHeight, <f64>dropY / scale, columns, scratch, 2);
  let count = 0;
  let total: f64 = 0;
  for (let y = 0; y < rows; y++) {
    const v = <f64>dropY / scale + step * <f64>(y + 1);
    const lower = layRow(brightness, patternWidth, patternHeight, v, columns, scratch, 1 - (y & 1));
    let lowerMask: usize = 0;
    if (isMasked) lowerMask = layRow(mask, patternWidth, patternHeight, v, columns, scratch, 3 - (y & 1));
    for (let x = 0; x < columns; x++) {
      const index = <usize>(y * columns + x);
      const value = <f32>(cell(upper, lower, x) / area);
      const isIn = !isMasked || cell(upperMask, lowerMask, x) >= area * 0.98;
      store<f32>(values + (index << 2), value);
      store<u8>(inside + index, u8(isIn));
      if (isIn) {
        count++;
        total += value;
      }
    }
    upper = lower;
    upperMask = lowerMask;
  }
  if (count < fewestCells) return -1;

  // --- as taps for the dot product, two to a lane
  const lanes = (columns + 1) >> 1;
  const taps = scratch + tapsAt;
  memory.fill(taps, 0, (<usize>(lanes * rows)) << 2);
  const mean = <f32>(total / <f64>count);
  let residual: i32 = 0;
  let power: f64 = 0;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const index = <usize>(y * columns + x);
      if (!load<u8>(inside + index)) continue;
      const tap = <i32>nearest(load<f32>(values + (index << 2)) - mean);
      store<i16>(taps + ((<usize>(y * lanes * 2 + x)) << 1), <i16>tap);
      residual += tap;
      power += <f64>(tap * tap);
    }
  }
  const ofOne = <f32>1 / <f32>count;
  const shift = <f32>residual * ofOne;
  const energy = <f32>power - <f32>residual * shift;
  if (energy * ofOne < leastVariance) return -1;
  const rects = scratch + rectsAt;
  const rectCount = toRects(inside, columns, rows, rects);

  // --- over every place
  const across = width - columns + 1;
  const down = height - rows + 1;
  const lowest = f32x4.splat(energy * leastEnergy);
  const highest = f32x4.splat(energy * mostEnergy);
  const shifts = f32x4.splat(shift);
  const ofOnes = f32x4.splat(ofOne);
  const energies = f32x4.splat(energy);
  const none = f32x4.splat(-2);
  const scores = scratch + rowsAt;
  for (let at: usize = 0; at < scoreRow * 3; at += 16) v128.store(scores + at, none);
  let found = 0;
  let least = leastScore;
  for (let y = 0; y <= down; y++) {
    const line = scores + scoreRow * <usize>(y % 3) + 16;
    if (y < down) {
      for (let x = 0; x < across; x += 16) {
        let s0 = i32x4.splat(0);
        let s1 = s0;
        let s2 = s0;
        let s3 = s0;
        let q0 = s0;
        let q1 = s0;
        let q2 = s0;
        let q3 = s0;
        for (let index = 0; index < rectCount; index++) {
          const rect = rects + ((<usize>index) << 4);
          const left = x + load<i32>(rect);
          const top = (y + load<i32>(rect, 4)) * sumStride;
          const right = x + load<i32>(rect, 8);
          const bottom = (y + load<i32>(rect, 12)) * sumStride;
          const a = (<usize>(top + left)) << 2;
          const b = (<usize>(top + right)) << 2;
          const c = (<usize>(bottom + left)) << 2;
          const d = (<usize>(bottom + right)) << 2;
          s0 = i32x4.add(s0, corner(sums, a, b, c, d));
          s1 = i32x4.add(s1, corner(sums + 16, a, b, c, d));
          s2 = i32x4.add(s2, corner(sums + 32, a, b, c, d));
          s3 = i32x4.add(s3, corner(sums + 48, a, b, c, d));
          q0 = i32x4.add(q0, corner(squares, a, b, c, d));
          q1 = i32x4.add(q1, corner(squares + 16, a, b, c, d));
          q2 = i32x4.add(q2, corner(squares + 32, a, b, c, d));
          q3 = i32x4.add(q3, corner(squares + 48, a, b, c, d));
        }
        const e0 = contrast(s0, q0, ofOnes);
        const e1 = contrast(s1, q1, ofOnes);
        const e2 = contrast(s2, q2, ofOnes);
        const e3 = contrast(s3, q3, ofOnes);
        const v0 = between(e0, lowest, highest);
        const v1 = between(e1, lowest, highest);
        const v2 = between(e2, lowest, highest);
        const v3 = between(e3, lowest, highest);
        const to = line + ((<usize>x) << 2);
        if (!v128.any_true(v128.or(v128.or(v0, v1), v128.or(v2, v3)))) {
          v128.store(to, none);
          v128.store(to, none, 16);
          v128.store(to, none, 32);
          v128.store(to, none, 48);
          continue;
        }
        let d0 = i32x4.splat(0);
        let d1 = d0;
        let d2 = d0;
        let d3 = d0;
        let tap = taps;
        for (let row = 0; row < rows; row++) {
          let at = pairs + ((<usize>((y + row) * stride + x)) << 2);
          const end = tap + ((<usize>lanes) << 2);
          for (; tap < end; tap += 4) {
            const t = v128.load32_splat(tap);
            d0 = i32x4.add(d0, i32x4.dot_i16x8_s(v128.load(at), t));
            d1 = i32x4.add(d1, i32x4.dot_i16x8_s(v128.load(at, 16), t));
            d2 = i32x4.add(d2, i32x4.dot_i16x8_s(v128.load(at, 32), t));
            d3 = i32x4.add(d3, i32x4.dot_i16x8_s(v128.load(at, 48), t));
            at += 8;
          }
        }
        v128.store(to, v128.bitselect(similar(d0, s0, e0, shifts, energies), none, v0));
        v128.store(to, v128.bitselect(similar(d1, s1, e1, shifts, energies), none, v1), 16);
        v128.store(to, v128.bitselect(similar(d2, s2, e2, shifts, energies), none, v2), 32);
        v128.store(to, v128.bitselect(similar(d3, s3, e3, shifts, energies), none, v3), 48);
      }
    }
    // What lies right of the last place was computed along with it and means nothing.
    const tail = line + ((<usize>across) << 2);
    for (let at: usize = 0; at < 64; at += 16) v128.store(tail + at, none);
    if (y == down) for (let at: usize = 0; at < (<usize>across) << 2; at += 16) v128.store(line + at, none);
    if (y == 0) continue;
    const middle = scores + scoreRow * <usize>((y + 2) % 3) + 16;
    const above = scores + scoreRow * <usize>((y + 1) % 3) + 16;
    for (let x = 0; x < across; x += 4) {
      const at = (<usize>x) << 2;
      if (!v128.any_true(f32x4.gt(v128.load(middle + at), f32x4.splat(least)))) continue;
      for (let lane: usize = 0; lane < 16; lane += 4) {
        const score = load<f32>(middle + at + lane);
        if (score <= least || !isPeak(above + at + lane, middle + at + lane, line + at + lane, score)) continue;
        found = insert(out, found, keep, score, x + <i32>(lane >> 2), y - 1);
        if (found == keep) least = load<f32>(out + <usize>((keep - 1) * 12));
      }
    }
  }
  return found;
}

// @ts-ignore: decorator
@inline
function corner(from: usize, a: usize, b: usize, c: usize, d: usize): v128 {
  return i32x4.sub(i32x4.add(v128.load(from + a), v128.load(from + d)), i32x4.add(v128.load(from + b), v128.load(from + c)));
}

// @ts-ignore: decorator
@inline
function contrast(sum: v128, squares: v128, ofOne: v128): v128 {
  const total = f32x4.convert_i32x4_s(sum);
  return f32x4.sub(f32x4.convert_i32x4_u(squares), f32x4.mul(f32x4.mul(total, total), ofOne));
}

// @ts-ignore: decorator
@inline
function between(value: v128, lowest: v128, highest: v128): v128 {
  return v128.and(f32x4.ge(value, lowest), f32x4.le(value, highest));
}

// @ts-ignore: decorator
@inline
function similar(dot: v128, sum: v128, contrast: v128, shift: v128, energy: v128): v128 {
  const product = f32x4.sub(f32x4.convert_i32x4_s(dot), f32x4.mul(f32x4.convert_i32x4_s(sum), shift));
  return f32x4.div(product, f32x4.sqrt(f32x4.mul(contrast, energy)));
}

/** Of equal neighbours the first counts. */
function isPeak(above: usize, middle: usize, below: usize, score: f32): bool {
  return (
    score > load<f32>(middle - 4) &&
    score >= load<f32>(middle, 4) &&
    score > load<f32>(above - 4) &&
    score > load<f32>(above) &&
    score > load<f32>(above, 4) &&
    score >= load<f32>(below - 4) &&
    score >= load<f32>(below) &&
    score >= load<f32>(below, 4)
  );
}

function insert(out: usize, found: i32, keep: i32, score: f32, x: i32, y: i32): i32 {
  let at = min(found, keep - 1);
  while (at > 0 && load<f32>(out + <usize>((at - 1) * 12)) < score) {
    memory.copy(out + <usize>(at * 12), out + <usize>((at - 1) * 12), 12);
    at--;
  }
  const to = out + <usize>(at * 12);
  store<f32>(to, score);
  store<i32>(to, x, 4);
  store<i32>(to, y, 8);
  return min(found + 1, keep);
}

/** Cuts the cells that are set into rectangles (left, top, right, bottom), and unsets them. */
function toRects(cells: usize, columns: i32, rows: i32, out: usize): i32 {
  let count = 0;
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      if (!load<u8>(cells + <usize>(y * columns + x))) continue;
      let right = x + 1;
      while (right < columns && load<u8>(cells + <usize>(y * columns + right))) right++;
      let bottom = y + 1;
      while (bottom < rows && isFull(cells + <usize>(bottom * columns), x, right)) bottom++;
      for (let row = y; row < bottom; row++) memory.fill(cells + <usize>(row * columns + x), 0, <usize>(right - x));
      const rect = out + ((<usize>count) << 4);
      count++;
      store<i32>(rect, x);
      store<i32>(rect, y, 4);
      store<i32>(rect, right, 8);
      store<i32>(rect, bottom, 12);
    }
  }
  return count;
}

function isFull(row: usize, from: i32, to: i32): bool {
  for (let x = from; x < to; x++) if (!load<u8>(row + <usize>x)) return false;
  return true;
}
