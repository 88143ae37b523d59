/**
 * A plane holds brightness from -512 (black) to 508 (white), two bits more than a byte has because means of pixels lie
 * between shades. Level F shows the picture F times smaller, each cell the mean of F × F pixels.
 */

const middle: i32 = 512;

/** Brightness of the rows `from` to `to`; the weights (of 256) say in which order the bytes of a pixel are. */
export function brighten(
  source: usize,
  sourceStride: i32,
  width: i32,
  from: i32,
  to: i32,
  first: i32,
  second: i32,
  third: i32,
  plane: usize,
  stride: i32,
): void {
  const weights = i16x8(
    <i16>first,
    <i16>second,
    <i16>third,
    0,
    <i16>first,
    <i16>second,
    <i16>third,
    0,
  );
  const offset = i32x4.splat(middle);
  for (let y = from; y < to; y++) {
    let at = source + <usize>(y * sourceStride);
    let out = plane + ((<usize>(y * stride)) << 1);
    let x = 0;
    for (; x + 8 <= width; x += 8) {
      const low = grey4(v128.load(at), weights, offset);
      const high = grey4(v128.load(at, 16), weights, offset);
      v128.store(out, i16x8.narrow_i32x4_s(low, high));
      at += 32;
      out += 16;
    }
    for (; x < width; x++) {
      const sum = <i32>load<u8>(at) * first + <i32>load<u8>(at, 1) * second + <i32>load<u8>(at, 2) * third;
      store<i16>(out, <i16>((sum >> 6) - middle));
      at += 4;
      out += 2;
    }
  }
}

// @ts-ignore: decorator
@inline
function grey4(pixels: v128, weights: v128, offset: v128): v128 {
  const a = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(pixels), weights);
  const b = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(pixels), weights);
  const sum = i32x4.add(v128.shuffle<i32>(a, b, 0, 2, 4, 6), v128.shuffle<i32>(a, b, 1, 3, 5, 7));
  return i32x4.sub(i32x4.shr_u(sum, 6), offset);
}

/** The rows `from` to `to` of the next level, each cell the mean of four. */
export function halve(plane: usize, stride: i32, next: usize, nextStride: i32, width: i32, from: i32, to: i32): void {
  const two = i32x4.splat(2);
  for (let y = from; y < to; y++) {
    const upper = plane + ((<usize>(2 * y * stride)) << 1);
    const lower = upper + ((<usize>stride) << 1);
    const out = next + ((<usize>(y * nextStride)) << 1);
    let x = 0;
    for (; x + 8 <= width; x += 8) {
      const at = (<usize>x) << 2;
      const low = i32x4.extadd_pairwise_i16x8_s(i16x8.add(v128.load(upper + at), v128.load(lower + at)));
      const high = i32x4.extadd_pairwise_i16x8_s(i16x8.add(v128.load(upper + at, 16), v128.load(lower + at, 16)));
      v128.store(
        out + ((<usize>x) << 1),
        i16x8.narrow_i32x4_s(i32x4.shr_s(i32x4.add(low, two), 2), i32x4.shr_s(i32x4.add(high, two), 2)),
      );
    }
    for (; x < width; x++) {
      const at = (<usize>x) << 2;
      const sum =
        <i32>load<i16>(upper + at) +
        <i32>load<i16>(upper + at, 2) +
        <i32>load<i16>(lower + at) +
        <i32>load<i16>(lower + at, 2);
      store<i16>(out + ((<usize>x) << 1), <i16>((sum + 2) >> 2));
    }
  }
}

/**
 * Makes a plane ready for searching: each cell beside its right neighbour, and the sums of all cells, and of their
 * squares, above and to the left of each corner. Sums may wrap around; differences of them are right all the same.
 */
export function sum(
  plane: usize,
  stride: i32,
  width: i32,
  height: i32,
  pairs: usize,
  sums: usize,
  squares: usize,
  sumStride: i32,
): void {
  memory.fill(sums, 0, (<usize>sumStride) << 2);
  memory.fill(squares, 0, (<usize>sumStride) << 2);
  for (let y = 0; y < height; y++) {
    const row = plane + ((<usize>(y * stride)) << 1);
    const pairRow = pairs + ((<usize>(y * stride)) << 2);
    for (let x = 0; x < stride; x += 8) {
      const here = v128.load(row + ((<usize>x) << 1));
      const right = v128.load(row + ((<usize>x) << 1), 2);
      v128.store(pairRow + ((<usize>x) << 2), v128.shuffle<i16>(here, right, 0, 8, 1, 9, 2, 10, 3, 11));
      v128.store(pairRow + ((<usize>x) << 2), v128.shuffle<i16>(here, right, 4, 12, 5, 13, 6, 14, 7, 15), 16);
    }
    const above = (<usize>(y * sumStride)) << 2;
    const below = above + ((<usize>sumStride) << 2);
    store<i32>(sums + below, 0);
    store<i32>(squares + below, 0);
    let run = 0;
    let runSquares = 0;
    for (let x = 0; x < width; x++) {
      const value = <i32>load<i16>(row + ((<usize>x) << 1));
      const at = ((<usize>x) << 2) + 4;
      run += value;
      runSquares += value * value;
      store<i32>(sums + below + at, load<i32>(sums + above + at) + run);
      store<i32>(squares + below + at, load<i32>(squares + above + at) + runSquares);
    }
  }
}
