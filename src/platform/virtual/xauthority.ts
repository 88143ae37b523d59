// Xau(3): each entry is a family and four counted strings; all lengths and the family are big-endian 16-bit.
const familyWild = 0xffff;
const protocolName = "MIT-MAGIC-COOKIE-1";

export const cookieLength = 16;

/**
 * The content of an Xauthority file with one cookie. The wildcard family and the empty display number match any
 * display: the file must exist before the server has chosen its number.
 */
export function authorityFile(cookie: Buffer): Buffer {
  const family = Buffer.alloc(2);
  family.writeUInt16BE(familyWild);
  return Buffer.concat([family, counted(""), counted(""), counted(protocolName), counted(cookie)]);
}

function counted(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
