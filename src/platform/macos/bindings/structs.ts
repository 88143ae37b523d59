/** Passed and returned by value. Fields in order, in lowered types; the facts test knows size and offsets. */
export const structs = {
  CFRange: { location: "i64", length: "i64" },
  CGPoint: { x: "f64", y: "f64" },
  CGSize: { width: "f64", height: "f64" },
  CGRect: { origin: "CGPoint", size: "CGSize" },
} as const;

export interface CGPoint {
  readonly x: number;
  readonly y: number;
}

export interface CGRect {
  readonly origin: CGPoint;
  readonly size: { readonly width: number; readonly height: number };
}

export interface CFRange {
  readonly location: number;
  readonly length: number;
}
