/**
 * D-Bus types in JavaScript: y n q i u h d → number · b → boolean · x t → bigint (safe integers are accepted, too) ·
 * s o g → string · ay → Uint8Array · other arrays and structs → array · dictionary → Map · v → Variant.
 */
export type Value =
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | Variant
  | readonly Value[]
  | ReadonlyMap<Value, Value>;

export class Variant {
  readonly signature: string;
  readonly value: Value;

  constructor(signature: string, value: Value) {
    this.signature = signature;
    this.value = value;
  }
}

/** The content of a variant, for callers that know the type; any other value is returned as is. */
export const unwrap = (value: Value | undefined): Value | undefined =>
  value instanceof Variant ? unwrap(value.value) : value;
