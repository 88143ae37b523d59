/**
 * A pattern is the picture looked for, as tables of sums: the mean of any rectangle of it, with fractions of pixels,
 * is four look-ups away. So it can be laid over the screen at any size without being resized first.
 */

/** Where the tables of a pattern of w × h pixels lie, one after the other. */
// @ts-ignore: decorator
@inline
function tableBytes(width: i32, height: i32): usize {
  return (<usize>((width + 1) * (height + 1))) << 2;
}

/** 255 × 0.97: what is more transparent than that takes its colour from behind it. */
const opaque: i32 = 248;

/**
 * Writes six tables: brightness, mask, and red, green, blue and alpha, the colours times alpha. Transparent pixels are
 * as bright as `ground` (0–255). The picture is turned by `turns` × 90° clockwise; width and height are those of the
 * turned one.
 */
export function survey(
  rgba: usize,
  mask: usize,
  width: i32,
  height: i32,
  turns: i32,
  ground: i32,
  red: i32,
  green: i32,
  blue: i32,
  tables: usize,
): void {
  const bytes = tableBytes(width, height);
  const row = (<usize>(width + 1)) << 2;
  for (let table = 0; table < 6; table++) memory.fill(tables + bytes * <usize>table, 0, row);
  for (let y = 0; y < height; y++) {
    let brightness = 0;
    let inside = 0;
    let reds = 0;
    let greens = 0;
    let blues = 0;
    let alphas = 0;
    const below = tables + row * <usize>(y + 1);
    for (let table = 0; table < 6; table++) store<i32>(below + bytes * <usize>table, 0);
    for (let x = 0; x < width; x++) {
      let index: i32;
      if (turns == 0) index = y * width + x;
      else if (turns == 1) index = (width - 1 - x) * height + y;
      else if (turns == 2) index = (height - 1 - y) * width + (width - 1 - x);
      else index = x * height + (height - 1 - y);
      const pixel = rgba + ((<usize>index) << 2);
      const a = <i32>load<u8>(pixel, 3);
      const r = <i32>load<u8>(pixel) * a;
      const g = <i32>load<u8>(pixel, 1) * a;
      const b = <i32>load<u8>(pixel, 2) * a;
      const rest = ground * (255 - a) * 256;
      brightness += (r * red + g * green + b * blue + rest) / (255 * 64) - 512;
      const isMasked = mask != 0 && load<u8>(mask + <usize>index) < 128;
      inside += i32(a >= opaque && !isMasked);
      reds += r / 255;
      greens += g / 255;
      blues += b / 255;
      alphas += a;
      const at = below + ((<usize>x) << 2) + 4;
      store<i32>(at, load<i32>(at - row) + brightness);
      store<i32>(at + bytes, load<i32>(at + bytes - row) + inside);
      store<i32>(at + bytes * 2, load<i32>(at + bytes * 2 - row) + reds);
      store<i32>(at + bytes * 3, load<i32>(at + bytes * 3 - row) + greens);
      store<i32>(at + bytes * 4, load<i32>(at + bytes * 4 - row) + blues);
      store<i32>(at + bytes * 5, load<i32>(at + bytes * 5 - row) + alphas);
    }
  }
}

/** Widest grid of cells laid over a pattern. */
export const widest: i32 = 16384;
const columnBytes: usize = <usize>widest << 4;
const rowBytes: usize = <usize>(widest + 8) << 3;

/** Bytes of scratch memory that laying a grid over up to six tables takes. */
export const gridScratch: usize = columnBytes + rowBytes * 12;

/** Finds the pattern's columns at which `count` + 1 lines of the grid lie. */
// @ts-ignore: decorator
@inline
export function layColumns(scratch: usize, width: i32, start: f64, step: f64, count: i32): void {
  for (let index = 0; index <= count; index++) {
    const u = min(max(start + step * <f64>index, 0), <f64>width);
    const whole = min(<i32>u, width - 1);
    store<i32>(scratch + ((<usize>index) << 4), whole);
    store<f64>(scratch + ((<usize>index) << 4), u - <f64>whole, 8);
  }
}

/** Writes the table's sums along the grid line at `v` to slot `slot` of the scratch memory and gives its place. */
export function layRow(table: usize, width: i32, height: i32, v: f64, count: i32, scratch: usize, slot: i32): usize {
  const line = min(max(v, 0), <f64>height);
  const whole = min(<i32>line, height - 1);
  const part = line - <f64>whole;
  const stride = (<usize>(width + 1)) << 2;
  const upper = table + stride * <usize>whole;
  const out = scratch + columnBytes + rowBytes * <usize>slot;
  for (let index = 0; index <= count; index++) {
    const column = scratch + ((<usize>index) << 4);
    const at = upper + ((<usize>load<i32>(column)) << 2);
    const across = load<f64>(column, 8);
    const a = <f64>load<i32>(at);
    const b = <f64>load<i32>(at + stride);
    const top = a + (<f64>load<i32>(at, 4) - a) * across;
    const bottom = b + (<f64>load<i32>(at + stride, 4) - b) * across;
    store<f64>(out + ((<usize>index) << 3), top + (bottom - top) * part);
  }
  return out;
}

/** The sum inside the grid cell between two lines. */
// @ts-ignore: decorator
@inline
export function cell(upper: usize, lower: usize, index: i32): f64 {
  const at = (<usize>index) << 3;
  return load<f64>(lower + at, 8) - load<f64>(lower + at) - load<f64>(upper + at, 8) + load<f64>(upper + at);
}

// @ts-ignore: decorator
@inline
export function table(tables: usize, width: i32, height: i32, index: i32): usize {
  return tables + tableBytes(width, height) * <usize>index;
}
