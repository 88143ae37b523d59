/**
 * How D-Bus types look in JavaScript: y n q i u h d → number · b → boolean · x t → bigint (a safe integer is taken
 * too) · s o g → string · ay → Uint8Array · other arrays and structs → array · dictionary → Map · v → Variant.
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

/** What a variant holds, for callers who know the type; a value that is no variant is itself. */
export const unwrap = (value: Value | undefined): Value | undefined =>
  value instanceof Variant ? unwrap(value.value) : value;
