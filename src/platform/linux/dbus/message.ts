import { longestMessage, Writer } from "./marshal.ts";
import { ProtocolError, Reader } from "./unmarshal.ts";
import type { Value } from "./value.ts";

export const messageType = { call: 1, reply: 2, error: 3, signal: 4 } as const;

/** Bits of `flags`. */
export const noReplyExpected = 1;
export const noAutoStart = 2;

export interface Header {
  readonly type: number;
  readonly flags: number;
  readonly serial: number;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  readonly errorName?: string;
  readonly replySerial?: number;
  readonly destination?: string;
  readonly sender?: string;
  readonly signature?: string;
}

const textFields = { 1: "path", 2: "interface", 3: "member", 4: "errorName", 6: "destination", 7: "sender" } as const;

/** Appends a message; when a value does not fit its type, it throws and appends nothing. */
export function writeMessage(writer: Writer, header: Header, body: readonly Value[] = []): void {
  const start = writer.startMessage();
  try {
    writer.u8(0x6c);
    writer.u8(header.type);
    writer.u8(header.flags);
    writer.u8(1);
    writer.u32(0);
    writer.u32(header.serial);
    writer.u32(0);
    writeFields(writer, header);
    writer.setU32(start + 12, writer.length - start - headLength);
    writer.align(8);
    const bodyAt = writer.length;
    if (header.signature) writer.values(header.signature, body);
    writer.setU32(start + 4, writer.length - bodyAt);
  } catch (error) {
    writer.backTo(start);
    throw error;
  }
}

export function encodeMessage(header: Header, body: readonly Value[] = []): Buffer {
  const writer = new Writer();
  writeMessage(writer, header, body);
  return writer.take();
}

function writeFields(writer: Writer, header: Header): void {
  if (header.path !== undefined) writeTextField(writer, 1, "o", header.path);
  if (header.interface !== undefined) writeTextField(writer, 2, "s", header.interface);
  if (header.member !== undefined) writeTextField(writer, 3, "s", header.member);
  if (header.errorName !== undefined) writeTextField(writer, 4, "s", header.errorName);
  if (header.replySerial !== undefined) {
    startField(writer, 5, "u");
    writer.u32(header.replySerial);
  }
  if (header.destination !== undefined) writeTextField(writer, 6, "s", header.destination);
  if (header.sender !== undefined) writeTextField(writer, 7, "s", header.sender);
  if (header.signature) {
    startField(writer, 8, "g");
    writer.signature(header.signature);
  }
}

function writeTextField(writer: Writer, code: number, signature: string, text: string): void {
  startField(writer, code, signature);
  writer.string(text);
}

function startField(writer: Writer, code: number, signature: string): void {
  writer.align(8);
  writer.u8(code);
  writer.signature(signature);
}

export const headLength = 16;

/** The length of the message that starts with these sixteen bytes. */
export function messageLength(bytes: Buffer, at = 0): number {
  const little = isLittle(bytes, at);
  const body = little ? bytes.readUInt32LE(at + 4) : bytes.readUInt32BE(at + 4);
  const fields = little ? bytes.readUInt32LE(at + 12) : bytes.readUInt32BE(at + 12);
  const length = headLength + Math.ceil(fields / 8) * 8 + body;
  if (length > longestMessage) throw new ProtocolError(`A message claims ${length} bytes.`);
  return length;
}

function isLittle(bytes: Buffer, at: number): boolean {
  const mark = bytes[at];
  if (mark === 0x6c) return true;
  if (mark === 0x42) return false;
  throw new ProtocolError(`A message starts with byte ${mark}.`);
}

export interface Incoming {
  readonly header: Header;
  /** Reads the body; valid only while the bytes given to `decodeMessage` are intact. */
  readonly body: () => readonly Value[];
}

export function decodeMessage(bytes: Buffer): Incoming {
  const little = isLittle(bytes, 0);
  const reader = new Reader(bytes, little, 1);
  const header: { -readonly [Name in keyof Header]: Header[Name] } = {
    type: reader.u8(),
    flags: reader.u8(),
    serial: 0,
  };
  if (reader.u8() !== 1) throw new ProtocolError("A message is of another D-Bus version.");
  reader.u32();
  header.serial = reader.u32();
  const end = reader.u32() + headLength;
  while (reader.at < end) readField(reader, header);
  reader.align(8);
  const bodyAt = reader.at;
  return {
    header,
    body: () => (header.signature ? new Reader(bytes, little, bodyAt).values(header.signature) : []),
  };
}

function readField(reader: Reader, header: { -readonly [Name in keyof Header]: Header[Name] }): void {
  reader.align(8);
  const code = reader.u8();
  const signature = reader.signature();
  if (code === 5 && signature === "u") header.replySerial = reader.u32();
  else if (code === 8 && signature === "g") header.signature = reader.signature();
  else if (isTextField(code) && (signature === "s" || signature === "o")) {
    // Replies come in thousands, and the sender of each is known from its serial.
    if (header.type === messageType.reply) reader.skipString();
    else header[textFields[code]] = reader.string();
  } else reader.values(signature);
}

const isTextField = (code: number): code is keyof typeof textFields => code in textFields;
