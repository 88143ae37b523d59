import { cell, layColumns, layRow, table } from "./pattern";
import { scratchBytes } from "./search";

/** How alike the pattern at this place and size and a level of the picture are: -1 to 1, or -2 outside of it. */
function similarity(
  tables: usize,
  patternWidth: i32,
  patternHeight: i32,
  isMasked: i32,
  factor: i32,
  plane: usize,
  stride: i32,
  width: i32,
  height: i32,
  scale: f64,
  x: f64,
  y: f64,
  scratch: usize,
): f64 {
  const f = <f64>factor;
  const left = <i32>ceil(x / f - 1e-6);
  const top = <i32>ceil(y / f - 1e-6);
  const columns = <i32>floor((x + <f64>patternWidth * scale) / f + 1e-6) - left;
  const rows = <i32>floor((y + <f64>patternHeight * scale) / f + 1e-6) - top;
  if (left < 0 || top < 0 || columns < 2 || rows < 2 || left + columns > width || top + rows > height) return -2;
  const step = f / scale;
  const area = step * step;
  layColumns(scratch, patternWidth, (<f64>left * f - x) / scale, step, columns);
  const start = (<f64>top * f - y) / scale;
  const brightness = table(tables, patternWidth, patternHeight, 0);
  const mask = table(tables, patternWidth, patternHeight, 1);
  let upper = layRow(brightness, patternWidth, patternHeight, start, columns, scratch, 0);
  let upperMask: usize = 0;
  if (isMasked) upperMask = layRow(mask, patternWidth, patternHeight, start, columns, scratch, 2);
  let n: f64 = 0;
  let st: f64 = 0;
  let stt: f64 = 0;
  let si: f64 = 0;
  let sii: f64 = 0;
  let sti: f64 = 0;
  for (let row = 0; row < rows; row++) {
    const v = start + step * <f64>(row + 1);
    const lower = layRow(brightness, patternWidth, patternHeight, v, columns, scratch, 1 - (row & 1));
    let lowerMask: usize = 0;
    if (isMasked) lowerMask = layRow(mask, patternWidth, patternHeight, v, columns, scratch, 3 - (row & 1));
    const line = plane + ((<usize>((top + row) * stride + left)) << 1);
    for (let column = 0; column < columns; column++) {
      if (isMasked && cell(upperMask, lowerMask, column) < area * 0.98) continue;
      const t = cell(upper, lower, column) / area;
      const i = <f64>load<i16>(line + ((<usize>column) << 1));
      n += 1;
      st += t;
      stt += t * t;
      si += i;
      sii += i * i;
      sti += t * i;
    }
    upper = lower;
    upperMask = lowerMask;
  }
  if (n < 4) return -2;
  const a = stt - (st * st) / n;
  const b = sii - (si * si) / n;
  return a < n || b < n ? -2 : (sti - (st * si) / n) / Math.sqrt(a * b);
}

/**
 * Moves the pattern, and changes its size unless `scaleStep` is 0, as long as it becomes more alike; steps are halved
 * until they are below `leastStep` pixels. Reads and writes x, y, scale and score (four doubles) at `place`.
 */
export function climb(
  tables: usize,
  patternWidth: i32,
  patternHeight: i32,
  isMasked: i32,
  factor: i32,
  plane: usize,
  stride: i32,
  width: i32,
  height: i32,
  firstStep: f64,
  leastStep: f64,
  firstScaleStep: f64,
  leastScale: f64,
  mostScale: f64,
  place: usize,
  allScratch: usize,
  worker: i32,
): i32 {
  const scratch = allScratch + <usize>worker * <usize>scratchBytes();
  let x = load<f64>(place);
  let y = load<f64>(place, 8);
  let scale = load<f64>(place, 16);
  let step = firstStep;
  let scaleStep = firstScaleStep;
  let best = similarity(
    tables, patternWidth, patternHeight, isMasked, factor, plane, stride, width, height, scale, x, y, scratch,
  );
  let effort = 0;
  while (step >= leastStep && effort < 200) {
    let isBetter = false;
    for (let move = 0; move < 6; move++) {
      let nextX = x;
      let nextY = y;
      let nextScale = scale;
      if (move == 0) nextX -= step;
      else if (move == 1) nextX += step;
      else if (move == 2) nextY -= step;
      else if (move == 3) nextY += step;
      else {
        if (scaleStep == 0) continue;
        nextScale *= move == 4 ? 1 - scaleStep : 1 / (1 - scaleStep);
        nextScale = min(max(nextScale, leastScale), mostScale);
        nextX += (<f64>patternWidth * (scale - nextScale)) / 2;
        nextY += (<f64>patternHeight * (scale - nextScale)) / 2;
      }
      effort++;
      const score = similarity(
        tables, patternWidth, patternHeight, isMasked, factor, plane, stride, width, height, nextScale, nextX, nextY, scratch,
      );
      if (score > best + 1e-9) {
        best = score;
        x = nextX;
        y = nextY;
        scale = nextScale;
        isBetter = true;
      }
    }
    if (!isBetter) {
      step /= 2;
      scaleStep /= 2;
    }
  }
  // Apps draw at whole pixels; what looks best between two of them is usually exactly on one.
  if (factor == 1) {
    const wholeScale = firstScaleStep == 0 ? scale : nearest(<f64>patternWidth * scale) / <f64>patternWidth;
    const wholeX = nearest(x + (<f64>patternWidth * (scale - wholeScale)) / 2);
    const wholeY = nearest(y + (<f64>patternHeight * (scale - wholeScale)) / 2);
    const score = similarity(
      tables, patternWidth, patternHeight, isMasked, factor, plane, stride, width, height, wholeScale, wholeX, wholeY, scratch,
    );
    if (score >= best - 1e-3) {
      best = score;
      x = wholeX;
      y = wholeY;
      scale = wholeScale;
    }
  }
  store<f64>(place, x);
  store<f64>(place, y, 8);
  store<f64>(place, scale, 16);
  store<f64>(place, best, 24);
  return effort;
}

/** All pixels; those inside the mask; or all, the transparent ones showing what is around the pattern. */
const masked: i32 = 1;
const seeThrough: i32 = 2;

/**
 * Compares in colour, in squares of `factor` pixels. Writes how alike they are (-1 to 1) and how far a channel of an opaque pixel is
 * off on average (0 to 255), two doubles, behind the place.
 */
export function judge(
  tables: usize,
  patternWidth: i32,
  patternHeight: i32,
  kind: i32,
  factor: i32,
  source: usize,
  sourceStride: i32,
  isBlueFirst: i32,
  width: i32,
  height: i32,
  place: usize,
  allScratch: usize,
  worker: i32,
): void {
  const scratch = allScratch + <usize>worker * <usize>scratchBytes();
  const x = load<f64>(place);
  const y = load<f64>(place, 8);
  const scale = load<f64>(place, 16);
  const f = <f64>factor;
  const left = max(<i32>ceil(x / f - 1e-6), 0);
  const top = max(<i32>ceil(y / f - 1e-6), 0);
  const columns = min(<i32>floor((x + <f64>patternWidth * scale) / f + 1e-6), width / factor) - left;
  const rows = min(<i32>floor((y + <f64>patternHeight * scale) / f + 1e-6), height / factor) - top;
  const step = f / scale;
  const area = step * step;
  store<f64>(place, -2, 32);
  store<f64>(place, 255, 40);
  if (columns < 2 || rows < 2) return;
  layColumns(scratch, patternWidth, (<f64>left * f - x) / scale, step, columns);
  const start = (<f64>top * f - y) / scale;
  const firstIsBlue = <usize>isBlueFirst;

  // What is around the pattern, for what shows through it.
  const alphas = table(tables, patternWidth, patternHeight, 5);
  let groundR: f64 = 0;
  let groundG: f64 = 0;
  let groundB: f64 = 0;
  if (kind == seeThrough) {
    let around: f64 = 0;
    let upper = layRow(alphas, patternWidth, patternHeight, start, columns, scratch, 0);
    for (let row = 0; row < rows; row++) {
      const lower = layRow(alphas, patternWidth, patternHeight, start + step * <f64>(row + 1), columns, scratch, 1 - (row & 1));
      const line = source + <usize>((top + row) * factor * sourceStride + left * factor * 4);
      for (let column = 0; column < columns; column++) {
        if (cell(upper, lower, column) > area * 5) continue;
        const pixel = line + ((<usize>(column * factor)) << 2);
        around += 1;
        groundR += mean(pixel + firstIsBlue * 2, sourceStride, factor);
        groundG += mean(pixel + 1, sourceStride, factor);
        groundB += mean(pixel + 2 - firstIsBlue * 2, sourceStride, factor);
      }
      upper = lower;
    }
    around = max(around, 1);
    groundR /= around;
    groundG /= around;
    groundB /= around;
  }

  let n: f64 = 0;
  let solid: f64 = 0;
  let off: f64 = 0;
  let tR: f64 = 0, tG: f64 = 0, tB: f64 = 0;
  let iR: f64 = 0, iG: f64 = 0, iB: f64 = 0;
  let tt: f64 = 0, ii: f64 = 0, ti: f64 = 0;
  for (let slot = 0; slot < 5; slot++) {
    layRow(table(tables, patternWidth, patternHeight, slot + 1), patternWidth, patternHeight, start, columns, scratch, slot * 2);
  }
  for (let row = 0; row < rows; row++) {
    const v = start + step * <f64>(row + 1);
    const odd = row & 1;
    const m1 = layRow(table(tables, patternWidth, patternHeight, 1), patternWidth, patternHeight, v, columns, scratch, 1 - odd);
    const r1 = layRow(table(tables, patternWidth, patternHeight, 2), patternWidth, patternHeight, v, columns, scratch, 3 - odd);
    const g1 = layRow(table(tables, patternWidth, patternHeight, 3), patternWidth, patternHeight, v, columns, scratch, 5 - odd);
    const b1 = layRow(table(tables, patternWidth, patternHeight, 4), patternWidth, patternHeight, v, columns, scratch, 7 - odd);
    const a1 = layRow(alphas, patternWidth, patternHeight, v, columns, scratch, 9 - odd);
    const other = m1 < r1 ? (r1 - m1) / 2 : 0;
    const back = odd ? other : 0 - other;
    const line = source + <usize>((top + row) * factor * sourceStride + left * factor * 4);
    for (let column = 0; column < columns; column++) {
      if (kind == masked && cell(m1 + back, m1, column) < area * 0.98) continue;
      const alpha = cell(a1 + back, a1, column) / area;
      const through = kind == seeThrough ? (255 - alpha) / 255 : 0;
      const r = cell(r1 + back, r1, column) / area + through * groundR;
      const g = cell(g1 + back, g1, column) / area + through * groundG;
      const b = cell(b1 + back, b1, column) / area + through * groundB;
      const pixel = line + ((<usize>(column * factor)) << 2);
      const red = mean(pixel + firstIsBlue * 2, sourceStride, factor);
      const green = mean(pixel + 1, sourceStride, factor);
      const blue = mean(pixel + 2 - firstIsBlue * 2, sourceStride, factor);
      n += 1;
      tR += r;
      tG += g;
      tB += b;
      iR += red;
      iG += green;
      iB += blue;
      tt += r * r + g * g + b * b;
      ii += red * red + green * green + blue * blue;
      ti += r * red + g * green + b * blue;
      if (kind != seeThrough || alpha > 247) {
        solid += 3;
        off += Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue);
      }
    }
  }
  if (n < 4) return;
  const a = tt - (tR * tR + tG * tG + tB * tB) / n;
  const b = ii - (iR * iR + iG * iG + iB * iB) / n;
  store<f64>(place, a < n || b < n ? -2 : (ti - (tR * iR + tG * iG + tB * iB) / n) / Math.sqrt(a * b), 32);
  store<f64>(place, solid == 0 ? 0 : off / solid, 40);
}

/** Of one channel in a square of pixels. */
// @ts-ignore: decorator
@inline
function mean(channel: usize, stride: i32, factor: i32): f64 {
  if (factor == 1) return <f64>load<u8>(channel);
  let total = 0;
  for (let y = 0; y < factor; y++) {
    for (let x = 0; x < factor; x++) total += <i32>load<u8>(channel + <usize>(y * stride + x * 4));
  }
  return <f64>total / <f64>(factor * factor);
}
