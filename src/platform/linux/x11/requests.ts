import type { Rect } from "../../../base/geometry.ts";
import type { Connection, RequestOptions } from "./connection.ts";
import { RequestWriter } from "./wire.ts";

/**
 * The core requests we use, one function each, named as in the X11 protocol specification. Functions that return a
 * promise wait for the reply; the others only send, and their errors go to `connection.onError`.
 */

export const currentTime = 0;
const anyPropertyType = 0;

/** Atoms that have the same number on every server. */
export const predefined = {
  atom: 4,
  cardinal: 6,
  resourceManager: 23,
  string: 31,
  window: 33,
  wmClass: 67,
  wmClientMachine: 36,
  wmHints: 35,
  wmName: 39,
  wmNormalHints: 40,
  wmTransientFor: 68,
} as const;

// --- properties ---------------------------------------------------------------------------------------------

export async function getAtomName(c: Connection, atom: number, options?: RequestOptions): Promise<string> {
  const reply = await c.request("GetAtomName", new RequestWriter(17).u32(atom), options);
  const length = reply.u16();
  return reply.skip(22).text(length);
}

export interface PropertyQuery extends RequestOptions {
  readonly type?: number;
  /** The maximum number of bytes to fetch; default: everything. */
  readonly maxBytes?: number;
  /** In units of four bytes. */
  readonly offset?: number;
  readonly delete?: boolean;
}

export interface Property {
  readonly type: number;
  readonly format: number;
  readonly value: Buffer;
  readonly bytesAfter: number;
}

/** Undefined when the window has no such property, or it has another type than requested. */
export async function getProperty(
  c: Connection,
  window: number,
  property: number,
  query: PropertyQuery = {},
): Promise<Property | undefined> {
  const { type = anyPropertyType, maxBytes = 0x7ffffffc, offset = 0 } = query;
  const writer = new RequestWriter(20, query.delete ? 1 : 0).u32(window).u32(property).u32(type);
  const reply = await c.request("GetProperty", writer.u32(offset).u32(Math.ceil(maxBytes / 4)), query);
  const format = reply.data;
  const actualType = reply.u32();
  const bytesAfter = reply.u32();
  const units = reply.u32();
  if (actualType === 0 || (type !== anyPropertyType && actualType !== type)) return undefined;
  return { type: actualType, format, bytesAfter, value: reply.skip(12).take((units * format) / 8) };
}

/** The values of a property with format 32; empty when there is none. */
export function toNumbers(property: Property | undefined): readonly number[] {
  if (!property || property.format !== 32) return [];
  return Array.from({ length: Math.floor(property.value.length / 4) }, (_, index) =>
    property.value.readUInt32LE(index * 4),
  );
}

export type PropertyValue = Uint8Array | { readonly u32: readonly number[] };

export function changeProperty(
  c: Connection,
  window: number,
  property: number,
  type: number,
  value: PropertyValue,
  mode: "replace" | "prepend" | "append" = "replace",
): void {
  c.send("ChangeProperty", propertyWriter(window, property, type, value, mode));
}

/** Like `changeProperty`, but resolves when it is done: for other clients' windows, which may disappear. */
export function changePropertyChecked(
  c: Connection,
  window: number,
  property: number,
  type: number,
  value: PropertyValue,
  options?: RequestOptions,
): Promise<void> {
  return c.checked("ChangeProperty", propertyWriter(window, property, type, value, "replace"), options);
}

function propertyWriter(
  window: number,
  property: number,
  type: number,
  value: PropertyValue,
  mode: "replace" | "prepend" | "append",
): RequestWriter {
  const isWords = "u32" in value;
  const length = isWords ? value.u32.length : value.length;
  const writer = new RequestWriter(18, ["replace", "prepend", "append"].indexOf(mode), 24 + length * (isWords ? 4 : 1))
    .u32(window)
    .u32(property)
    .u32(type)
    .u8(isWords ? 32 : 8)
    .skip(3)
    .u32(length);
  if (!isWords) return writer.bytes(value);
  for (const word of value.u32) writer.u32(word);
  return writer;
}

export function deleteProperty(c: Connection, window: number, property: number): void {
  c.send("DeleteProperty", new RequestWriter(19).u32(window).u32(property));
}

// --- windows ------------------------------------------------------------------------------------------------

export interface Geometry extends Rect {
  readonly root: number;
  readonly depth: number;
  readonly borderWidth: number;
}

/** `x` and `y` are relative to the parent and name the outer corner of the border. */
export async function getGeometry(c: Connection, drawable: number, options?: RequestOptions): Promise<Geometry> {
  const reply = await c.request("GetGeometry", new RequestWriter(14).u32(drawable), options);
  return {
    depth: reply.data,
    root: reply.u32(),
    x: reply.i16(),
    y: reply.i16(),
    width: reply.u16(),
    height: reply.u16(),
    borderWidth: reply.u16(),
  };
}

export interface Translation {
  readonly child: number;
  readonly x: number;
  readonly y: number;
}

/** Where a point of `from` is in `to`, and which child of `to` contains it. */
export async function translateCoordinates(
  c: Connection,
  from: number,
  to: number,
  at: { readonly x: number; readonly y: number } = { x: 0, y: 0 },
  options?: RequestOptions,
): Promise<Translation> {
  const writer = new RequestWriter(40).u32(from).u32(to).i16(at.x).i16(at.y);
  const reply = await c.request("TranslateCoordinates", writer, options);
  return { child: reply.u32(), x: reply.i16(), y: reply.i16() };
}

export interface Family {
  readonly parent: number;
  /** Bottom to top. */
  readonly children: readonly number[];
}

export async function queryTree(c: Connection, window: number, options?: RequestOptions): Promise<Family> {
  const reply = await c.request("QueryTree", new RequestWriter(15).u32(window), options);
  const parent = reply.skip(4).u32();
  const count = reply.u16();
  return { parent, children: reply.skip(14).u32s(count) };
}

export interface WindowAttributes {
  readonly visual: number;
  readonly isInputOnly: boolean;
  readonly mapState: "unmapped" | "unviewable" | "viewable";
  readonly isOverrideRedirect: boolean;
  readonly allEventMasks: number;
  readonly yourEventMask: number;
}

export async function getWindowAttributes(
  c: Connection,
  window: number,
  options?: RequestOptions,
): Promise<WindowAttributes> {
  const reply = await c.request("GetWindowAttributes", new RequestWriter(3).u32(window), options);
  const visual = reply.u32();
  const isInputOnly = reply.u16() === 2;
  const mapState = (["unmapped", "unviewable", "viewable"] as const)[reply.skip(12).u8()] ?? "unmapped";
  const isOverrideRedirect = reply.u8() === 1;
  return {
    visual,
    isInputOnly,
    mapState,
    isOverrideRedirect,
    allEventMasks: reply.skip(4).u32(),
    yourEventMask: reply.u32(),
  };
}

/** Window attributes by their bit in the value mask. */
const attributeBits = {
  backgroundPixmap: 1 << 0,
  backgroundPixel: 1 << 1,
  borderPixel: 1 << 3,
  overrideRedirect: 1 << 9,
  eventMask: 1 << 11,
  colormap: 1 << 13,
} as const;

export type WindowValues = { readonly [Name in keyof typeof attributeBits]?: number };

function writeValues<Bits extends Record<string, number>>(
  writer: RequestWriter,
  bits: Bits,
  values: { readonly [Name in keyof Bits]?: number },
): void {
  for (const name of Object.keys(bits)) {
    const value = values[name];
    if (value !== undefined) writer.u32(value);
  }
}

function valueMask<Bits extends Record<string, number>>(
  bits: Bits,
  values: { readonly [Name in keyof Bits]?: number },
): number {
  return Object.entries(bits).reduce((mask, [name, bit]) => (values[name] === undefined ? mask : mask | bit), 0);
}

export interface NewWindow extends Rect {
  readonly parent?: number;
  /** 0 copies the parent's. */
  readonly depth?: number;
  readonly visual?: number;
  readonly isInputOnly?: boolean;
  readonly values?: WindowValues;
}

export function createWindow(c: Connection, window: NewWindow): number {
  const id = c.newId();
  const { values = {} } = window;
  const writer = new RequestWriter(1, window.depth ?? 0, 64)
    .u32(id)
    .u32(window.parent ?? c.root)
    .i16(window.x)
    .i16(window.y)
    .u16(window.width)
    .u16(window.height)
    .u16(0)
    .u16(window.isInputOnly ? 2 : 0)
    .u32(window.visual ?? 0)
    .u32(valueMask(attributeBits, values));
  writeValues(writer, attributeBits, values);
  c.send("CreateWindow", writer);
  return id;
}

export function changeWindowAttributes(c: Connection, window: number, values: WindowValues): void {
  c.send("ChangeWindowAttributes", attributesWriter(window, values));
}

/**
 * Selects events on a window; resolves when the server will send them. The mask belongs to the connection: it
 * replaces the previous selection, so add to the window's `yourEventMask`.
 */
export function selectInput(c: Connection, window: number, mask: number, options?: RequestOptions): Promise<void> {
  return c.checked("ChangeWindowAttributes", attributesWriter(window, { eventMask: mask }), options);
}

function attributesWriter(window: number, values: WindowValues): RequestWriter {
  const writer = new RequestWriter(2).u32(window).u32(valueMask(attributeBits, values));
  writeValues(writer, attributeBits, values);
  return writer;
}

export function destroyWindow(c: Connection, window: number): void {
  c.send("DestroyWindow", new RequestWriter(4).u32(window));
}

export function mapWindow(c: Connection, window: number): void {
  c.send("MapWindow", new RequestWriter(8).u32(window));
}

/** The server sends this client every press of the key while exactly these modifiers are down. */
export function grabKey(c: Connection, grab: { readonly keycode: number; readonly modifiers: number }): Promise<void> {
  const asynchronous = 1;
  return c.checked(
    "GrabKey",
    new RequestWriter(33, 0).u32(c.root).u16(grab.modifiers).u8(grab.keycode).u8(asynchronous).u8(asynchronous).skip(3),
  );
}

export function ungrabKey(c: Connection, grab: { readonly keycode: number; readonly modifiers: number }): void {
  c.send("UngrabKey", new RequestWriter(34, grab.keycode).u32(c.root).u16(grab.modifiers).skip(2));
}

export interface PointerGrab {
  readonly eventMask: number;
  /** 0 keeps the cursor of whatever is under the pointer. */
  readonly cursor: number;
}

/** Sends all pointer events to this client until `ungrabPointer`. False while another client has the pointer. */
export async function grabPointer(
  c: Connection,
  { eventMask, cursor }: PointerGrab,
  options?: RequestOptions,
): Promise<boolean> {
  const asynchronous = 1;
  const writer = new RequestWriter(26, 0)
    .u32(c.root)
    .u16(eventMask)
    .u8(asynchronous)
    .u8(asynchronous)
    .u32(0)
    .u32(cursor)
    .u32(currentTime);
  return (await c.request("GrabPointer", writer, options)).bytes.readUInt8(1) === 0;
}

export function ungrabPointer(c: Connection): void {
  c.send("UngrabPointer", new RequestWriter(27).u32(currentTime));
}

/** A cursor from the server's own font, black with a white edge; the glyphs are those of cursorfont.h. */
export async function createFontCursor(c: Connection, glyph: number, options?: RequestOptions): Promise<number> {
  const [font, cursor] = [c.newId(), c.newId()];
  const name = Buffer.from("cursor", "latin1");
  c.send("OpenFont", new RequestWriter(45).u32(font).u16(name.length).skip(2).bytes(name));
  const colours = [0, 0, 0, 0xffff, 0xffff, 0xffff];
  const writer = new RequestWriter(94)
    .u32(cursor)
    .u32(font)
    .u32(font)
    .u16(glyph)
    .u16(glyph + 1);
  for (const colour of colours) writer.u16(colour);
  await c.checked("CreateGlyphCursor", writer, options);
  c.send("CloseFont", new RequestWriter(46).u32(font));
  return cursor;
}

export function unmapWindow(c: Connection, window: number): void {
  c.send("UnmapWindow", new RequestWriter(10).u32(window));
}

const configureBits = {
  x: 1 << 0,
  y: 1 << 1,
  width: 1 << 2,
  height: 1 << 3,
  borderWidth: 1 << 4,
  sibling: 1 << 5,
  /** 0 above, 1 below. */
  stackMode: 1 << 6,
} as const;

export type WindowConfiguration = { readonly [Name in keyof typeof configureBits]?: number };

export function configureWindow(
  c: Connection,
  window: number,
  values: WindowConfiguration,
  options?: RequestOptions,
): Promise<void> {
  const writer = new RequestWriter(12).u32(window).u16(valueMask(configureBits, values)).skip(2);
  writeValues(writer, configureBits, values);
  return c.checked("ConfigureWindow", writer, options);
}

// --- events and focus ---------------------------------------------------------------------------------------

export interface SendEventOptions extends RequestOptions {
  /** The message is sent to this window, or to the clients that selected `mask` on it. */
  readonly to: number;
  readonly mask?: number;
}

/** `event` is the 32 bytes of the event. */
export function sendEvent(
  c: Connection,
  event: Uint8Array,
  { to, mask = 0, ...options }: SendEventOptions,
): Promise<void> {
  const writer = new RequestWriter(25, 0, 44).u32(to).u32(mask).bytes(event);
  return c.checked("SendEvent", writer, options);
}

/** The bytes of a ClientMessage of format 32. */
export function clientMessage(window: number, messageType: number, data: readonly number[]): Buffer {
  const bytes = Buffer.alloc(32);
  bytes[0] = 33;
  bytes[1] = 32;
  bytes.writeUInt32LE(window, 4);
  bytes.writeUInt32LE(messageType, 8);
  data.forEach((value, index) => bytes.writeUInt32LE(value >>> 0, 12 + index * 4));
  return bytes;
}

/** The bytes of a SelectionNotify; property 0 means refused. */
export function selectionNotify(answer: {
  readonly time: number;
  readonly requestor: number;
  readonly selection: number;
  readonly target: number;
  readonly property: number;
}): Buffer {
  const bytes = Buffer.alloc(32);
  bytes[0] = 31;
  [answer.time, answer.requestor, answer.selection, answer.target, answer.property].forEach((value, index) =>
    bytes.writeUInt32LE(value, 4 + index * 4),
  );
  return bytes;
}

export function setInputFocus(
  c: Connection,
  window: number,
  time = currentTime,
  options?: RequestOptions,
): Promise<void> {
  return c.checked("SetInputFocus", new RequestWriter(42, 2).u32(window).u32(time), options);
}

/** 0 is none, 1 is whatever is under the pointer. */
export async function getInputFocus(c: Connection, options?: RequestOptions): Promise<number> {
  return (await c.request("GetInputFocus", new RequestWriter(43), options)).u32();
}

export interface PointerState {
  readonly child: number;
  readonly x: number;
  readonly y: number;
  /** Modifier and button bits. */
  readonly mask: number;
}

/** In root coordinates. */
export async function queryPointer(c: Connection, options?: RequestOptions): Promise<PointerState> {
  const reply = await c.request("QueryPointer", new RequestWriter(38).u32(c.root), options);
  const child = reply.skip(4).u32();
  const [x, y] = [reply.i16(), reply.i16()];
  return { child, x, y, mask: reply.skip(4).u16() };
}

/** One bit per keycode, set while the key is down. */
export async function queryKeymap(c: Connection, options?: RequestOptions): Promise<Buffer> {
  return (await c.request("QueryKeymap", new RequestWriter(44), options)).take(32);
}

// --- selections ---------------------------------------------------------------------------------------------

export function setSelectionOwner(c: Connection, owner: number, selection: number, time = currentTime): void {
  c.send("SetSelectionOwner", new RequestWriter(22).u32(owner).u32(selection).u32(time));
}

/** 0 when nobody owns it. */
export async function getSelectionOwner(c: Connection, selection: number, options?: RequestOptions): Promise<number> {
  return (await c.request("GetSelectionOwner", new RequestWriter(23).u32(selection), options)).u32();
}

export interface Conversion {
  readonly requestor: number;
  readonly selection: number;
  readonly target: number;
  readonly property: number;
  readonly time?: number;
}

export function convertSelection(c: Connection, conversion: Conversion): void {
  const writer = new RequestWriter(24).u32(conversion.requestor).u32(conversion.selection).u32(conversion.target);
  c.send("ConvertSelection", writer.u32(conversion.property).u32(conversion.time ?? currentTime));
}

// --- pictures -----------------------------------------------------------------------------------------------

export interface Image {
  readonly depth: number;
  readonly visual: number;
  readonly data: Buffer;
}

/** ZPixmap, all planes. */
export async function getImage(c: Connection, drawable: number, rect: Rect, options?: RequestOptions): Promise<Image> {
  const writer = new RequestWriter(73, 2)
    .u32(drawable)
    .i16(rect.x)
    .i16(rect.y)
    .u16(rect.width)
    .u16(rect.height)
    .u32(0xffffffff);
  const reply = await c.request("GetImage", writer, options);
  const visual = reply.u32();
  return { depth: reply.data, visual, data: reply.bytes.subarray(32) };
}

export function createPixmap(c: Connection, pixmap: { depth: number; width: number; height: number }): number {
  const id = c.newId();
  const writer = new RequestWriter(53, pixmap.depth).u32(id).u32(c.root).u16(pixmap.width).u16(pixmap.height);
  c.send("CreatePixmap", writer);
  return id;
}

export function freePixmap(c: Connection, pixmap: number): void {
  c.send("FreePixmap", new RequestWriter(54).u32(pixmap));
}
