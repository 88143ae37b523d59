/**
 * Writes every place (column, row) in the rows `from` to `to` where each pixel is the pattern's, `mask` deciding which
 * bits count. The two pixels from `anchorX`, `anchorY` on are looked for first. Returns how many, at most `most`.
 */
export function exact(
  source: usize,
  sourceStride: i32,
  width: i32,
  from: i32,
  to: i32,
  pattern: usize,
  mask: usize,
  patternWidth: i32,
  patternHeight: i32,
  anchorX: i32,
  anchorY: i32,
  most: i32,
  out: usize,
): i32 {
  const anchor = (<usize>(anchorY * patternWidth + anchorX)) << 2;
  const bits = i32x4.splat(0xffffff);
  const first = v128.and(v128.load32_splat(pattern + anchor), bits);
  const second = v128.and(v128.load32_splat(pattern + anchor, 4), bits);
  const across = width - patternWidth + 1;
  let count = 0;
  for (let y = from; y < to; y++) {
    const row = source + <usize>(y * sourceStride);
    const line = row + <usize>(anchorY * sourceStride) + ((<usize>anchorX) << 2);
    for (let x = 0; x < across; x += 4) {
      const at = line + ((<usize>x) << 2);
      const isFirst = i32x4.eq(v128.and(v128.load(at), bits), first);
      if (!v128.any_true(isFirst)) continue;
      const both = v128.and(isFirst, i32x4.eq(v128.and(v128.load(at, 4), bits), second));
      let hits = i32x4.bitmask(both);
      while (hits) {
        const place = x + ctz(hits);
        hits &= hits - 1;
        if (place >= across) break;
        if (!isSame(row + ((<usize>place) << 2), sourceStride, pattern, mask, patternWidth, patternHeight)) continue;
        store<i32>(out + ((<usize>count) << 3), place);
        store<i32>(out + ((<usize>count) << 3), y, 4);
        if (++count == most) return count;
      }
    }
  }
  return count;
}

function isSame(at: usize, stride: i32, pattern: usize, mask: usize, width: i32, height: i32): bool {
  for (let y = 0; y < height; y++) {
    const line = at + <usize>(y * stride);
    const own = (<usize>(y * width)) << 2;
    let x: usize = 0;
    const end = (<usize>width) << 2;
    for (; x + 16 <= end; x += 16) {
      const difference = v128.xor(v128.load(line + x), v128.load(pattern + own + x));
      if (v128.any_true(v128.and(difference, v128.load(mask + own + x)))) return false;
    }
    for (; x < end; x += 4) {
      if ((load<u32>(line + x) ^ load<u32>(pattern + own + x)) & load<u32>(mask + own + x)) return false;
    }
  }
  return true;
}
