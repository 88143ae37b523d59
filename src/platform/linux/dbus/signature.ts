/** A complete D-Bus type, parsed once so that reading and writing never parse the text again. */
export type Type =
  | { readonly kind: "basic"; readonly code: BasicCode }
  | { readonly kind: "variant" }
  | { readonly kind: "array"; readonly item: Type }
  | { readonly kind: "dict"; readonly key: BasicCode; readonly value: Type }
  | { readonly kind: "struct"; readonly fields: readonly Type[] };

export type BasicCode = "y" | "b" | "n" | "q" | "i" | "u" | "x" | "t" | "d" | "s" | "o" | "g" | "h";

export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

// Limits from the specification; a peer that exceeds them is broken or hostile.
const longestSignature = 255;
const deepestNesting = 32;
/** Signatures also come from peers, so the cache must not grow forever. */
const mostRemembered = 512;
const basicCodes = "ybnqiuxtdsogh";
const remembered = new Map<string, readonly Type[]>();

/** The complete types of a signature such as "sa{sv}". */
export function parseSignature(signature: string): readonly Type[] {
  const known = remembered.get(signature);
  if (known) return known;
  if (signature.length > longestSignature) throw new SignatureError("A D-Bus signature is longer than 255.");
  const types: Type[] = [];
  for (let at = 0; at < signature.length;) {
    const [type, next] = parseType(signature, at, { arrays: 0, structs: 0 });
    types.push(type);
    at = next;
  }
  if (remembered.size >= mostRemembered) remembered.clear();
  remembered.set(signature, types);
  return types;
}

interface Depth {
  readonly arrays: number;
  readonly structs: number;
}

function parseType(signature: string, at: number, depth: Depth): [Type, number] {
  if (depth.arrays > deepestNesting || depth.structs > deepestNesting) {
    throw new SignatureError(`The D-Bus signature "${signature}" is nested too deeply.`);
  }
  const code = signature[at] ?? "";
  if (code !== "" && basicCodes.includes(code)) return [{ kind: "basic", code: code as BasicCode }, at + 1];
  if (code === "v") return [{ kind: "variant" }, at + 1];
  if (code === "a" && signature[at + 1] === "{") return parseDict(signature, at, depth);
  if (code === "a") {
    const [item, next] = parseType(signature, at + 1, { ...depth, arrays: depth.arrays + 1 });
    return [{ kind: "array", item }, next];
  }
  if (code === "(") return parseStruct(signature, at, depth);
  throw new SignatureError(`The D-Bus signature "${signature}" is not valid at position ${at}.`);
}

function parseDict(signature: string, at: number, depth: Depth): [Type, number] {
  const key = signature[at + 2] ?? "";
  if (key === "" || !basicCodes.includes(key)) {
    throw new SignatureError(`The dictionary key in the D-Bus signature "${signature}" is not a basic type.`);
  }
  const inner = { arrays: depth.arrays + 1, structs: depth.structs + 1 };
  const [value, next] = parseType(signature, at + 3, inner);
  if (signature[next] !== "}") throw new SignatureError(`A dictionary in "${signature}" has no end.`);
  return [{ kind: "dict", key: key as BasicCode, value }, next + 1];
}

function parseStruct(signature: string, at: number, depth: Depth): [Type, number] {
  const fields: Type[] = [];
  let next = at + 1;
  while (signature[next] !== ")") {
    const [field, after] = parseType(signature, next, { ...depth, structs: depth.structs + 1 });
    fields.push(field);
    next = after;
  }
  if (fields.length === 0) throw new SignatureError(`The D-Bus signature "${signature}" has an empty struct.`);
  return [{ kind: "struct", fields }, next + 1];
}

const basicAlignment: Readonly<Record<BasicCode, number>> = {
  y: 1,
  b: 4,
  n: 2,
  q: 2,
  i: 4,
  u: 4,
  x: 8,
  t: 8,
  d: 8,
  s: 4,
  o: 4,
  g: 1,
  h: 4,
};

export function alignmentOf(type: Type): number {
  switch (type.kind) {
    case "basic":
      return basicAlignment[type.code];
    case "variant":
      return 1;
    case "array":
    case "dict":
      return 4;
    case "struct":
      return 8;
  }
}
