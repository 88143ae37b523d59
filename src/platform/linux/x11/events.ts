import { Reader } from "./wire.ts";

/** Bits for `selectInput` and the event mask of `createWindow`. */
export const eventMask = {
  keyPress: 1 << 0,
  keyRelease: 1 << 1,
  buttonPress: 1 << 2,
  buttonRelease: 1 << 3,
  pointerMotion: 1 << 6,
  exposure: 1 << 15,
  structureNotify: 1 << 17,
  substructureNotify: 1 << 19,
  substructureRedirect: 1 << 20,
  focusChange: 1 << 21,
  propertyChange: 1 << 22,
} as const;

export type XEvent = (
  | {
      readonly type: "KeyPress" | "KeyRelease" | "ButtonPress" | "ButtonRelease" | "MotionNotify";
      /** Keycode, or button number. */
      readonly detail: number;
      readonly time: number;
      readonly window: number;
      readonly rootX: number;
      readonly rootY: number;
      readonly x: number;
      readonly y: number;
      readonly state: number;
    }
  | { readonly type: "FocusIn" | "FocusOut"; readonly window: number }
  | { readonly type: "Expose"; readonly window: number }
  | { readonly type: "CreateNotify"; readonly parent: number; readonly window: number }
  | { readonly type: "DestroyNotify"; readonly parent: number; readonly window: number }
  | { readonly type: "UnmapNotify"; readonly parent: number; readonly window: number }
  | { readonly type: "MapNotify"; readonly parent: number; readonly window: number }
  | { readonly type: "ReparentNotify"; readonly window: number; readonly parent: number }
  | {
      readonly type: "ConfigureNotify";
      readonly window: number;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    }
  | {
      readonly type: "PropertyNotify";
      readonly window: number;
      readonly atom: number;
      readonly time: number;
      readonly isDeleted: boolean;
    }
  | { readonly type: "SelectionClear"; readonly time: number; readonly owner: number; readonly selection: number }
  | {
      readonly type: "SelectionRequest";
      readonly time: number;
      readonly owner: number;
      readonly requestor: number;
      readonly selection: number;
      readonly target: number;
      readonly property: number;
    }
  | {
      readonly type: "SelectionNotify";
      readonly time: number;
      readonly requestor: number;
      readonly selection: number;
      readonly target: number;
      /** 0 when the owner refused. */
      readonly property: number;
    }
  | {
      readonly type: "ClientMessage";
      readonly format: number;
      readonly window: number;
      readonly messageType: number;
      readonly data: readonly number[];
    }
  | {
      readonly type: "MappingNotify";
      readonly request: "modifier" | "keyboard" | "pointer";
      readonly firstKeycode: number;
      readonly count: number;
    }
  | {
      readonly type: "XfixesSelectionNotify";
      readonly window: number;
      readonly owner: number;
      readonly selection: number;
      readonly time: number;
    }
  | { readonly type: "DamageNotify"; readonly drawable: number; readonly damage: number }
  | { readonly type: "ScreenChangeNotify"; readonly root: number }
  | { readonly type: "RandrNotify"; readonly kind: number }
  | { readonly type: "Other"; readonly code: number }
) & {
  /** True when a client sent it with SendEvent. */
  readonly isSent: boolean;
  readonly bytes: Buffer;
};

type Bare<Event> = Event extends unknown ? Omit<Event, "isSent" | "bytes"> : never;
type Decoder = (read: Reader, bytes: Buffer) => Bare<XEvent>;

/** Extension events as offsets from the extension's first event. */
const extensionDecoders: Readonly<Record<string, readonly Decoder[]>> = {
  XFIXES: [
    (read) => ({
      type: "XfixesSelectionNotify",
      window: read.skip(4).u32(),
      owner: read.u32(),
      selection: read.u32(),
      time: read.u32(),
    }),
  ],
  DAMAGE: [(read) => ({ type: "DamageNotify", drawable: read.skip(4).u32(), damage: read.u32() })],
  RANDR: [
    (read) => ({ type: "ScreenChangeNotify", root: read.skip(12).u32() }),
    (_read, bytes) => ({ type: "RandrNotify", kind: bytes.readUInt8(1) }),
  ],
};

const coreDecoders: Readonly<Record<number, Decoder>> = {
  2: inputEvent("KeyPress"),
  3: inputEvent("KeyRelease"),
  4: inputEvent("ButtonPress"),
  5: inputEvent("ButtonRelease"),
  6: inputEvent("MotionNotify"),
  9: (read) => ({ type: "FocusIn", window: read.skip(4).u32() }),
  10: (read) => ({ type: "FocusOut", window: read.skip(4).u32() }),
  12: (read) => ({ type: "Expose", window: read.skip(4).u32() }),
  16: (read) => ({ type: "CreateNotify", parent: read.skip(4).u32(), window: read.u32() }),
  17: (read) => ({ type: "DestroyNotify", parent: read.skip(4).u32(), window: read.u32() }),
  18: (read) => ({ type: "UnmapNotify", parent: read.skip(4).u32(), window: read.u32() }),
  19: (read) => ({ type: "MapNotify", parent: read.skip(4).u32(), window: read.u32() }),
  21: (read) => ({ type: "ReparentNotify", window: read.skip(8).u32(), parent: read.u32() }),
  22: (read) => ({
    type: "ConfigureNotify",
    window: read.skip(8).u32(),
    x: read.skip(4).i16(),
    y: read.i16(),
    width: read.u16(),
    height: read.u16(),
  }),
  28: (read) => ({
    type: "PropertyNotify",
    window: read.skip(4).u32(),
    atom: read.u32(),
    time: read.u32(),
    isDeleted: read.u8() === 1,
  }),
  29: (read) => ({ type: "SelectionClear", time: read.skip(4).u32(), owner: read.u32(), selection: read.u32() }),
  30: (read) => ({
    type: "SelectionRequest",
    time: read.skip(4).u32(),
    owner: read.u32(),
    requestor: read.u32(),
    selection: read.u32(),
    target: read.u32(),
    property: read.u32(),
  }),
  31: (read) => ({
    type: "SelectionNotify",
    time: read.skip(4).u32(),
    requestor: read.u32(),
    selection: read.u32(),
    target: read.u32(),
    property: read.u32(),
  }),
  33: (read, bytes) => {
    const format = bytes.readUInt8(1);
    const window = read.skip(4).u32();
    const messageType = read.u32();
    const next = format === 32 ? () => read.u32() : format === 16 ? () => read.u16() : () => read.u8();
    const count = format === 32 ? 5 : format === 16 ? 10 : 20;
    return { type: "ClientMessage", format, window, messageType, data: Array.from({ length: count }, next) };
  },
  34: (read) => {
    const request = read.skip(4).u8();
    return {
      type: "MappingNotify",
      request: request === 0 ? "modifier" : request === 1 ? "keyboard" : "pointer",
      firstKeycode: read.u8(),
      count: read.u8(),
    };
  },
};

function inputEvent(type: "KeyPress" | "KeyRelease" | "ButtonPress" | "ButtonRelease" | "MotionNotify"): Decoder {
  return (read, bytes) => {
    const time = read.skip(4).u32();
    const window = read.skip(4).u32();
    const [rootX, rootY] = [read.skip(4).i16(), read.i16()];
    const [x, y, state] = [read.i16(), read.i16(), read.u16()];
    return { type, detail: bytes.readUInt8(1), time, window, rootX, rootY, x, y, state };
  };
}

export interface EventRange {
  readonly name: string;
  readonly firstEvent: number;
}

export function decodeEvent(bytes: Buffer, extensions: readonly EventRange[]): XEvent {
  const code = bytes.readUInt8(0) & 0x7f;
  const isSent = (bytes.readUInt8(0) & 0x80) !== 0;
  const decode = coreDecoders[code] ?? findExtensionDecoder(code, extensions);
  const bare: Bare<XEvent> = decode ? decode(new Reader(bytes), bytes) : { type: "Other", code };
  return { ...bare, isSent, bytes };
}

function findExtensionDecoder(code: number, extensions: readonly EventRange[]): Decoder | undefined {
  for (const { name, firstEvent } of extensions) {
    const decoder = firstEvent > 0 ? extensionDecoders[name]?.[code - firstEvent] : undefined;
    if (decoder) return decoder;
  }
  return undefined;
}
