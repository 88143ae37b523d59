const coreErrors = [
  "Success",
  "BadRequest",
  "BadValue",
  "BadWindow",
  "BadPixmap",
  "BadAtom",
  "BadCursor",
  "BadFont",
  "BadMatch",
  "BadDrawable",
  "BadAccess",
  "BadAlloc",
  "BadColor",
  "BadGC",
  "BadIDChoice",
  "BadName",
  "BadLength",
  "BadImplementation",
];

const extensionErrors: Readonly<Record<string, readonly string[]>> = {
  "MIT-SHM": ["BadShmSeg"],
  XFIXES: ["BadRegion"],
  DAMAGE: ["BadDamage"],
  RANDR: ["BadOutput", "BadCrtc", "BadMode", "BadProvider"],
};

export interface ErrorRange {
  readonly name: string;
  readonly firstError: number;
}

export function errorName(code: number, extensions: readonly ErrorRange[]): string {
  const core = coreErrors[code];
  if (core !== undefined) return core;
  for (const { name, firstError } of extensions) {
    const own = extensionErrors[name]?.[code - firstError];
    if (own !== undefined) return own;
  }
  return `error ${code}`;
}

/**
 * The server refused one request. `BadWindow`, `BadDrawable` and often `BadMatch` mean that something has disappeared
 * since it was last seen; callers turn that into a `ToolError` that says so.
 */
export class XError extends Error {
  override readonly name = "XError";
  /** "BadWindow", "BadMatch", … */
  readonly codeName: string;
  /** "GetGeometry", "Damage.Create", … */
  readonly requestName: string;
  /** The resource, atom or value the server objected to. */
  readonly badId: number;

  constructor(codeName: string, requestName: string, badId: number) {
    super(`${requestName} failed: ${codeName} (0x${badId.toString(16)}).`);
    this.codeName = codeName;
    this.requestName = requestName;
    this.badId = badId;
  }
}

/** True when the error means that a window, or what is drawn in it, no longer exists. */
export function isGone(error: unknown): error is XError {
  return error instanceof XError && ["BadWindow", "BadDrawable"].includes(error.codeName);
}
