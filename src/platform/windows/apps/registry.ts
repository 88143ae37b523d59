import { win32, type Handle } from "../win32.ts";

/** Predefined keys are negative 32-bit numbers. */
const roots = { machine: 0x80000002 | 0, user: 0x80000001 | 0 } as const;
export type RegistryRoot = keyof typeof roots;

const readAccess = 0x20019;
/** Texts with variables count as texts once these are replaced. */
const texts = 0x2;

function withKey<T>(root: RegistryRoot, path: string, work: (key: Handle) => T): T | undefined {
  const api = win32();
  const out = Buffer.alloc(8);
  if (api.openKey(roots[root], path, 0, readAccess, out) !== 0) return undefined;
  const key = Number(out.readBigUInt64LE());
  try {
    return work(key);
  } finally {
    api.closeKey(key);
  }
}

/** The names of the keys below one. */
export function subkeys(root: RegistryRoot, path: string): readonly string[] {
  const names = withKey(root, path, (key) => {
    const found: string[] = [];
    const name = Buffer.alloc(512);
    const length = Buffer.alloc(4);
    for (;;) {
      length.writeUInt32LE(name.length / 2);
      if (win32().enumKey(key, found.length, name, length, null, null, null, null) !== 0) return found;
      found.push(name.toString("utf16le", 0, length.readUInt32LE() * 2));
    }
  });
  return names ?? [];
}

/** A text value, variables in it replaced; the default one has no name. */
export function textValue(root: RegistryRoot, path: string, name = ""): string | undefined {
  return withKey(root, path, (key) => {
    const data = Buffer.alloc(4096);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    if (win32().getValue(key, null, name, texts, null, data, length) !== 0) return undefined;
    return data.toString("utf16le", 0, Math.max(0, length.readUInt32LE() - 2));
  });
}
