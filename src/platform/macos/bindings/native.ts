import { ToolError } from "../../../base/errors.ts";
import { loadKoffi } from "../../native/ffi.ts";
import {
  functions,
  libraryPath,
  type Framework,
  type FunctionName,
  type Library,
  type Signatures,
} from "./functions.ts";
import { messages, type Message, type Sent } from "./messages.ts";
import { structs, type CFRange, type CGPoint, type CGRect } from "./structs.ts";

export type Pointer = bigint | null;
type Lent = Pointer | ArrayBufferView;

type Given<T> = T extends "ptr"
  ? Lent
  : T extends "bool"
    ? boolean
    : T extends "CGPoint"
      ? CGPoint
      : T extends "CGRect"
        ? CGRect
        : T extends "CFRange"
          ? CFRange
          : number;
type Taken<T> = T extends "void" ? void : T extends "ptr" ? Pointer : Exclude<Given<T>, ArrayBufferView>;
type Arguments<A extends string> = A extends ""
  ? []
  : A extends `${infer First},${infer Rest}`
    ? [Given<First>, ...Arguments<Rest>]
    : [Given<A>];
type Called<S extends string> = S extends `${infer R}(${infer A})` ? (...given: Arguments<A>) => Taken<R> : never;

/** The functions by name; each is looked up when it is first used. */
export type Functions = { readonly [N in FunctionName]: Called<Signatures[N]> };

export interface Native extends Functions {
  /** Whether this system exports it. */
  has(name: FunctionName): boolean;
  /** What an exported pointer variable holds. Never released. */
  variable(library: Library, name: string): Pointer;
  /** Where an exported structure is. */
  address(library: Library, name: string): bigint;
  send<M extends Message>(receiver: Pointer, message: M, ...args: Sent<M>["args"]): Sent<M>["result"];
  readonly koffi: Koffi;
}

type Koffi = NonNullable<ReturnType<typeof loadKoffi>>;
type LibraryHandle = ReturnType<Koffi["load"]>;

const lowered: Readonly<Record<string, string>> = {
  ptr: "void *",
  void: "void",
  bool: "bool",
  u8: "uint8",
  u16: "uint16",
  u32: "uint32",
  u64: "uint64",
  i32: "int32",
  i64: "int64",
  f32: "float",
  f64: "double",
};

/** `@24@0:8Q16` → what koffi calls each type; offsets and the receiver and selector are the same for all methods. */
const encoded: Readonly<Record<string, string>> = {
  "@": "void *",
  "@?": "void *",
  v: "void",
  B: "bool",
  i: "int32",
  q: "int64",
  Q: "uint64",
};

/** koffi runs native code on stacks of its own, and 2 MB are too few for AppKit. */
const stackBytes = 8 << 20;

let isConfigured = false;

/** Opens the frameworks. Tests pass a function that names the simulator instead. */
export function openNative(pathOf: (library: Library) => string = libraryPath): Native {
  const koffi = loadKoffi();
  if (!koffi) throw new ToolError("not_supported", "koffi has no build for this machine.");
  if (!isConfigured) {
    koffi.config({ ...koffi.config(), sync_stack_size: stackBytes, async_stack_size: stackBytes });
    for (const [name, fields] of Object.entries(structs)) {
      koffi.struct(
        name,
        Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, lowered[type] ?? type])),
      );
    }
    isConfigured = true;
  }
  return bind(koffi, pathOf);
}

function bind(koffi: Koffi, pathOf: (library: Library) => string): Native {
  const handles = new Map<Library, LibraryHandle>();
  const open = (library: Library): LibraryHandle => {
    const known = handles.get(library);
    if (known) return known;
    const handle = koffi.load(pathOf(library));
    handles.set(library, handle);
    return handle;
  };
  const find = (name: FunctionName): ReturnType<LibraryHandle["func"]> => {
    const [framework, signature] = whereIs(name);
    const [, result = "", args = ""] = /^(\w+)\((.*)\)$/.exec(signature) ?? [];
    const types = args === "" ? [] : args.split(",");
    return open(framework).func(
      name,
      koffiType(result),
      types.map((type) => koffiType(type)),
    );
  };
  const bound = Object.create(null) as Record<string, unknown>;
  const addressOf = (library: Library, name: string): bigint => open(library).symbol(name) as bigint;
  const native: Record<string, unknown> = {
    koffi,
    has(name: FunctionName): boolean {
      try {
        bound[name] ??= find(name);
        return true;
      } catch {
        return false;
      }
    },
    address: addressOf,
    variable: (library: Library, name: string): Pointer => koffi.decode(addressOf(library, name), "void *") as Pointer,
    send: sender(open),
  };
  for (const framework of Object.values(functions)) {
    for (const name of Object.keys(framework)) {
      Object.defineProperty(native, name, { get: () => (bound[name] ??= find(name as FunctionName)) });
    }
  }
  return native as unknown as Native;
}

function whereIs(name: FunctionName): readonly [Framework, string] {
  for (const [framework, table] of Object.entries(functions)) {
    const signature: unknown = Reflect.get(table, name);
    if (typeof signature === "string") return [framework as Framework, signature];
  }
  throw new Error(`${name} is in no table`);
}

const koffiType = (type: string): string => lowered[type] ?? type;

/** Binds `objc_msgSend` once per shape of call: it has no signature of its own, and must never be called as variadic. */
function sender(open: (library: Library) => LibraryHandle): Native["send"] {
  const shapes = new Map<string, ReturnType<LibraryHandle["func"]>>();
  const selectors = new Map<Message, { readonly selector: bigint; readonly receiver: bigint | undefined }>();
  const lookUp = (message: Message) => {
    const known = selectors.get(message);
    if (known) return known;
    const [, kind, className = "", name = ""] = /^([+-])\[(\w+) (.+)\]$/.exec(message) ?? [];
    open("AppKit");
    const objc = open("objc");
    const text = (value: string): Buffer => Buffer.from(`${value}\0`);
    const selector = objc.func("sel_registerName", "void *", ["void *"])(text(name)) as bigint;
    const receiver = objc.func("objc_getClass", "void *", ["void *"])(text(className)) as bigint | null;
    const found = { selector, receiver: kind === "+" ? (receiver ?? undefined) : undefined };
    selectors.set(message, found);
    return found;
  };
  return ((receiver: Pointer, message: Message, ...args: readonly unknown[]) => {
    const encoding: string = messages[message];
    const known = shapes.get(encoding);
    const shape = known ?? shapeOf(encoding, open("objc"));
    if (!known) shapes.set(encoding, shape);
    const { selector, receiver: itself } = lookUp(message);
    return shape(itself ?? receiver, selector, ...args) as unknown;
  }) as Native["send"];
}

function shapeOf(encoding: string, objc: LibraryHandle): ReturnType<LibraryHandle["func"]> {
  const [result = "", , , ...args] = [...encoding.matchAll(/(@\?|[@vBiqQ:])\d+/g)].map(([, type = ""]) => type);
  const types = args.map((type) => encoded[type] ?? "");
  return objc.func("objc_msgSend", encoded[result] ?? "", ["void *", "void *", ...types]);
}
