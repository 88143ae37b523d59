/**
 * What is done with every pixel of a screen: how bright it is, where brightness jumps, where two pictures differ. Works
 * on memory its caller lays out, up to 32 pixels at a time, so rows need room for as many more at their end.
 */

/** Brightness of pixels of four bytes, blue first, with the weights of ITU-R BT.601. */
export function shade(source: usize, count: i32, target: usize): void {
  for (let x = 0; x < count; x += 16) {
    const from = source + ((<usize>x) << 2);
    const low = i16x8.narrow_i32x4_s(lumaOf(v128.load(from)), lumaOf(v128.load(from, 16)));
    const high = i16x8.narrow_i32x4_s(lumaOf(v128.load(from, 32)), lumaOf(v128.load(from, 48)));
    v128.store(target + <usize>x, i8x16.narrow_i16x8_u(low, high));
  }
}

// @ts-ignore: decorator
@inline
function lumaOf(pixels: v128): v128 {
  const blueRed = v128.and(pixels, i32x4.splat(0x00ff00ff));
  const green = v128.and(i32x4.shr_u(pixels, 8), i32x4.splat(0xff));
  const sum = i32x4.add(
    i32x4.dot_i16x8_s(blueRed, i32x4.splat((77 << 16) | 29)),
    i32x4.dot_i16x8_s(green, i32x4.splat(150)),
  );
  return i32x4.shr_u(sum, 8);
}

/** The means of squares of `factor` × `factor` brightnesses, a row of them. */
export function shrink(source: usize, stride: i32, width: i32, factor: i32, target: usize): void {
  const area = factor * factor;
  for (let x = 0; x < width; x++) {
    let sum = 0;
    for (let row = 0; row < factor; row++) {
      const from = source + <usize>(row * stride + x * factor);
      for (let column = 0; column < factor; column++) sum += <i32>load<u8>(from + <usize>column);
    }
    store<u8>(target + <usize>x, <u8>(sum / area));
  }
}

const cell: i32 = 32;

/**
 * Writes the runs of pixels of a row that differ from the next one or the one below by more than `step`, as first, last,
 * first, last, … of 16 bits each, and returns how many numbers that are. Counts the pixels of each 32 that differ by no
 * more than `flat`. The byte after the row is overwritten.
 */
export function edges(row: usize, below: usize, width: i32, step: i32, flat: i32, flats: usize, out: usize): i32 {
  const steps = i8x16.splat(<i8>step);
  const flatSteps = i8x16.splat(<i8>flat);
  store<u8>(row + <usize>width, load<u8>(row + <usize>(width - 1)));
  let count = 0;
  let isInside = 0;
  for (let x = 0; x < width; x += cell) {
    let mask: u32 = 0;
    let flatMask: u32 = 0;
    for (let half = 0; half < cell; half += 16) {
      const at = row + <usize>(x + half);
      const here = v128.load(at);
      const beside = distance(here, v128.load(at, 1));
      const most = i8x16.max_u(beside, distance(here, v128.load(below + <usize>(x + half))));
      mask |= (<u32>i8x16.bitmask(i8x16.ne(i8x16.sub_sat_u(most, steps), i8x16.splat(0)))) << half;
      flatMask |= (<u32>i8x16.bitmask(i8x16.eq(i8x16.sub_sat_u(most, flatSteps), i8x16.splat(0)))) << half;
    }
    const left = width - x;
    if (left < cell) {
      const inside: u32 = (1 << left) - 1;
      mask &= inside;
      flatMask &= inside;
    }
    store<u8>(flats + <usize>(x / cell), <u8>popcnt(flatMask));
    let turns = mask ^ ((mask << 1) | <u32>isInside);
    isInside = <i32>(mask >> 31);
    for (; turns; turns &= turns - 1) {
      const place = <i32>ctz(turns);
      store<u16>(out + ((<usize>count) << 1), <u16>((mask >>> place) & 1 ? x + place : x + place - 1));
      count++;
    }
  }
  if (isInside) store<u16>(out + ((<usize>count) << 1), <u16>(width - 1));
  return count + isInside;
}

// @ts-ignore: decorator
@inline
function distance(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

const tile: i32 = 8;

/**
 * Compares `rows` rows of two pictures of four bytes a pixel, of which the fourth does not count, and extends for each
 * eight columns the box of what differs: left, top, right, bottom, right below zero where nothing did. Returns how many
 * pixels differ.
 */
export function differ(a: usize, b: usize, width: i32, y: i32, rows: i32, boxes: usize): i32 {
  const colours = i32x4.splat(0xffffff);
  let changed = 0;
  for (let row = 0; row < rows; row++) {
    const start = (<usize>(row * width)) << 2;
    for (let x = 0; x < width; x += tile) {
      const at = start + ((<usize>x) << 2);
      const low = v128.and(v128.xor(v128.load(a + at), v128.load(b + at)), colours);
      const high = v128.and(v128.xor(v128.load(a + at, 16), v128.load(b + at, 16)), colours);
      if (!v128.any_true(v128.or(low, high))) continue;
      const none = i32x4.splat(0);
      let bits = i32x4.bitmask(i32x4.ne(low, none)) | (i32x4.bitmask(i32x4.ne(high, none)) << 4);
      if (width - x < tile) bits &= (1 << (width - x)) - 1;
      if (!bits) continue;
      changed += popcnt(bits);
      const first = x + ctz(bits);
      const last = x + 31 - clz(bits);
      const box = boxes + ((<usize>(x / tile)) << 4);
      const right = load<i32>(box, 8);
      if (right < 0) store<i32>(box, y + row, 4);
      if (right < 0 || first < load<i32>(box)) store<i32>(box, first);
      if (last > right) store<i32>(box, last, 8);
      store<i32>(box, y + row, 12);
    }
  }
  return changed;
}
