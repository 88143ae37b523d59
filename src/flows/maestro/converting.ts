/** What every part of the conversion knows. */
export interface Converting {
  readonly appId: string | undefined;
  readonly isWeb: boolean;
  readonly path: readonly PropertyKey[];
  readonly unsupported: (message: string, at?: readonly PropertyKey[]) => void;
  readonly note: (message: string) => void;
  readonly at: (more: readonly PropertyKey[]) => Converting;
}

export type Fields = Readonly<Record<string, unknown>>;

export const isMap = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Variables are written alike; Maestro's own have a prefix. */
export const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null || typeof value === "object"
    ? undefined
    : scalarText(value).replaceAll(/\$\{\s*maestro\.copiedText\s*\}/g, "${copiedText}");

const scalarText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
