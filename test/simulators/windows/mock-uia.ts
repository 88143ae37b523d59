import koffi from "koffi";
import { ComObject } from "../../../src/platform/windows/automation/com.ts";
import type { OleMemory } from "../../../src/platform/windows/automation/variant.ts";
import { ComClass, type Interface } from "../../fixtures/windows/com-object.ts";

/** UI Automation in memory, for what no Wine has. It proves slots, marshalling and references; nothing about Windows. */

const [ok, notImplemented, gone] = [0, 0x80004001 | 0, 0x80040201 | 0];
const elementIds = "d22108aa-8ac5-49a5-837b-37bbb3d7591e 8471df34-aee0-4a01-a7de-7db9af12c296";

export type MockValue =
  | undefined
  | number
  | boolean
  | string
  | readonly number[]
  | { readonly doubles: readonly number[] };

export interface MockElement {
  readonly properties: Map<number, MockValue>;
  /** The ids of the patterns it has. */
  readonly patterns: readonly number[];
  readonly children: MockElement[];
  parent?: MockElement;
  clickablePoint?: readonly [number, number];
  isGone?: boolean;
  /** What each pattern answers. */
  result?: number;
}

type Methods = Readonly<Record<number, readonly [string, (self: bigint, ...args: never[]) => number]>>;

/** A table with these slots; all others say that they are not there. */
function table(id: string, size: number, methods: Methods): Interface {
  const unavailable: Interface["methods"][number] = ["", () => notImplemented];
  return { id, methods: Array.from({ length: size - 3 }, (_, index) => methods[index + 3] ?? unavailable) };
}

/** Strings and variants as OLE keeps them, with a count of what was not freed. */
export class MockMemory implements OleMemory {
  readonly #blocks = new Map<bigint, Buffer>();

  get live(): number {
    return this.#blocks.size;
  }

  makeString(text: string): bigint {
    const block = Buffer.alloc(8 + text.length * 2 + 2);
    block.writeUInt32LE(text.length * 2, 4);
    block.write(text, 8, "utf16le");
    return this.#keep(block, 8);
  }

  freeString(address: bigint): void {
    if (!this.#blocks.delete(address)) throw new Error("a string was freed that was never made, or twice");
  }

  clear(variant: Buffer): void {
    const kind = variant.readUInt16LE(0);
    const [string, array] = [8, 0x2000];
    if (kind === string || (kind & array) !== 0) this.freeString(variant.readBigUInt64LE(8));
    variant.fill(0);
  }

  write(out: bigint, value: MockValue): void {
    const put = (kind: number, type: string, payload: unknown): void => {
      koffi.encode(out, 0, "uint16", kind);
      koffi.encode(out, 8, type, payload);
    };
    koffi.encode(out, 0, "uint64", 0);
    if (typeof value === "number" && Number.isInteger(value)) put(3, "int32", value);
    else if (typeof value === "number") put(5, "double", value);
    else if (typeof value === "boolean") put(11, "int16", value ? -1 : 0);
    else if (typeof value === "string") put(8, "void *", this.makeString(value));
    else if (value !== undefined) {
      const isDoubles = "doubles" in value;
      put(0x2000 | (isDoubles ? 5 : 3), "void *", this.#array(isDoubles ? value.doubles : value, isDoubles));
    }
  }

  /** SAFEARRAY with one dimension, its data behind it. */
  #array(numbers: readonly number[], isDoubles: boolean): bigint {
    const size = isDoubles ? 8 : 4;
    const block = Buffer.alloc(32 + numbers.length * size);
    const address = this.#keep(block, 0);
    block.writeUInt16LE(1, 0);
    block.writeBigUInt64LE(address + 32n, 16);
    block.writeUInt32LE(numbers.length, 24);
    for (const [index, number] of numbers.entries()) {
      if (isDoubles) block.writeDoubleLE(number, 32 + index * size);
      else block.writeInt32LE(number, 32 + index * size);
    }
    return address;
  }

  #keep(block: Buffer, offset: number): bigint {
    const address = koffi.address(block) + BigInt(offset);
    this.#blocks.set(address, block);
    return address;
  }
}

/** The methods of each pattern from its first slot on, with their parameters; "" is one that nobody calls. */
const patternMethods: Readonly<Record<number, readonly [name: string, ...methods: string[]]>> = {
  10000: ["Invoke", "Invoke"],
  10002: ["Value", "SetValue|void *text"],
  10003: ["RangeValue", "SetValue|double value"],
  10004: ["Scroll", "Scroll|int32 x, int32 y", "SetScrollPercent|double x, double y"],
  10005: ["ExpandCollapse", "Expand", "Collapse"],
  10010: ["SelectionItem", "Select"],
  10014: ["Text", "", "", "", "", "get_DocumentRange|void *out"],
  10015: ["Toggle", "Toggle"],
  10017: ["ScrollItem", "ScrollIntoView"],
  10018: ["Legacy", "", "DoDefaultAction"],
};

interface MockOptions {
  /** As on Windows; Wine refuses. */
  readonly allowsSubtrees: boolean;
}

export class MockUia {
  readonly memory = new MockMemory();
  /** Every call that a real one would pass on to the app. */
  readonly log: string[] = [];
  readonly root: MockElement;
  pointed: MockElement | undefined;
  focused: MockElement | undefined;
  readonly #options: MockOptions;
  readonly #automation: ComClass<undefined>;
  readonly #elements: ComClass<MockElement>;
  readonly #arrays: ComClass<readonly MockElement[]>;
  readonly #requests: ComClass<undefined>;
  readonly #conditions: ComClass<undefined>;
  readonly #walkers: ComClass<undefined>;
  readonly #patterns: ReadonlyMap<number, ComClass<MockElement>>;
  readonly #ranges: ComClass<string>;
  readonly #objects = new Map<MockElement, bigint>();

  constructor(root: MockElement, options: MockOptions) {
    this.root = root;
    this.#options = options;
    this.#elements = new ComClass<MockElement>([table(elementIds, 92, this.#elementMethods())]);
    this.#arrays = new ComClass<readonly MockElement[]>([
      table("14314595-b4bc-4055-95f2-58f2e42c9855", 5, {
        3: ["void *out", (self: bigint, out: bigint) => this.#give(out, "int32", this.#arrays.subjectOf(self).length)],
        4: [
          "int32 index, void *out",
          (self: bigint, index: number, out: bigint) => this.#lend(out, this.#arrays.subjectOf(self)[index]),
        ],
      }),
    ]);
    this.#requests = new ComClass<undefined>([
      table("b32a92b5-bc25-4078-9c08-d7ee95c48e03", 12, {
        3: ["int32 property", () => ok],
        7: [
          "int32 scope",
          (_self: bigint, scope: number) => (scope === 1 || this.#options.allowsSubtrees ? ok : notImplemented),
        ],
        9: ["void *condition", () => ok],
        11: ["int32 mode", () => ok],
      }),
    ]);
    this.#conditions = new ComClass<undefined>([table("352ffba8-0973-437c-a61f-f64cafd81df9", 3, {})]);
    this.#walkers = new ComClass<undefined>([
      table("4042c624-389c-4afc-a630-9df854a541fc", 16, {
        3: [
          "void *element, void *out",
          (_self: bigint, element: bigint, out: bigint) => this.#lend(out, this.#elements.subjectOf(element).parent),
        ],
      }),
    ]);
    this.#patterns = new Map(Object.keys(patternMethods).map((id) => [Number(id), this.#patternClass(Number(id))]));
    this.#ranges = new ComClass<string>([
      table("a543cc6a-f4ae-494b-8239-c814481187a8", 21, {
        12: [
          "int32 most, void *out",
          (self: bigint, most: number, out: bigint) => {
            const text = this.#ranges.subjectOf(self);
            return this.#give(out, "void *", this.memory.makeString(most < 0 ? text : text.slice(0, most)));
          },
        ],
      }),
    ]);
    this.#automation = new ComClass<undefined>([table("30cbe57d-d9d0-452a-ab13-7ac5ac4825ee", 58, this.#methods())]);
  }

  /** A reference to it, as CoCreateInstance returns one. */
  open(): ComObject {
    return new ComObject(this.#automation.make(undefined));
  }

  /** How many references to this element are out, beyond the mock's own. */
  heldReferences(element: MockElement): number {
    const object = this.#objects.get(element);
    return object === undefined ? 0 : this.#elements.references(object) - 1;
  }

  #give(out: bigint, type: string, value: unknown): number {
    koffi.encode(out, type, value);
    return ok;
  }

  #lend(out: bigint, element: MockElement | undefined): number {
    if (!element) return this.#give(out, "void *", null);
    const object = this.#objects.get(element) ?? this.#elements.make(element);
    this.#objects.set(element, object);
    return this.#give(out, "void *", this.#elements.lend(object));
  }

  /** An object of which the caller gets the only reference. */
  #make<T>(of: ComClass<T>, subject: T, out: bigint): number {
    return this.#give(out, "void *", of.make(subject));
  }

  #methods(): Methods {
    return {
      6: ["uintptr_t hwnd, void *out", (_self: bigint, _hwnd: number, out: bigint) => this.#lend(out, this.root)],
      7: ["uint64 point, void *out", (_self: bigint, _point: bigint, out: bigint) => this.#lend(out, this.pointed)],
      8: ["void *out", (_self: bigint, out: bigint) => this.#lend(out, this.focused)],
      13: [
        "void *condition, void *out",
        (_self: bigint, _condition: bigint, out: bigint) => this.#make(this.#walkers, undefined, out),
      ],
      18: ["void *out", (_self: bigint, out: bigint) => this.#make(this.#conditions, undefined, out)],
      20: ["void *out", (_self: bigint, out: bigint) => this.#make(this.#requests, undefined, out)],
    };
  }

  #elementMethods(): Methods {
    const asked =
      <Rest extends unknown[]>(answer: (element: MockElement, ...rest: Rest) => number) =>
      (self: bigint, ...rest: Rest): number => {
        const element = this.#elements.subjectOf(self);
        return element.isGone ? gone : answer(element, ...rest);
      };
    const value = asked((element: MockElement, property: number, _ignore: number, out: bigint) => {
      this.memory.write(out, element.properties.get(property));
      return ok;
    });
    const parameters = "int32 property, int32 ignore, void *out";
    return {
      3: ["", asked((element: MockElement) => this.#act(element, "SetFocus"))],
      8: [
        "int32 scope, void *condition, void *request, void *out",
        asked((element: MockElement, _scope: number, _condition: bigint, _request: bigint, out: bigint) => {
          this.log.push(`level of ${nameOf(element)}`);
          return this.#make(this.#arrays, element.children, out);
        }),
      ],
      9: [
        "void *request, void *out",
        asked((element: MockElement, _request: bigint, out: bigint) => this.#lend(out, element)),
      ],
      11: [parameters, value],
      13: [parameters, value],
      14: [
        "int32 pattern, void *id, void *out",
        asked((element: MockElement, pattern: number, _id: bigint, out: bigint) =>
          this.#pattern(element, pattern, out),
        ),
      ],
      16: ["int32 pattern, void *out", asked(() => this.#enumerated())],
      19: ["void *out", asked((element: MockElement, out: bigint) => this.#cachedChildren(element, out))],
      84: [
        "void *point, void *has",
        asked((element: MockElement, point: bigint, has: bigint) => {
          const [x, y] = element.clickablePoint ?? [0, 0];
          koffi.encode(point, "int32", x);
          koffi.encode(point, 4, "int32", y);
          return this.#give(has, "int32", element.clickablePoint ? 1 : 0);
        }),
      ],
      91: ["", asked((element: MockElement) => this.#act(element, "ShowContextMenu"))],
    };
  }

  #cachedChildren(element: MockElement, out: bigint): number {
    this.log.push("cached");
    return element.children.length === 0
      ? this.#give(out, "void *", null)
      : this.#make(this.#arrays, element.children, out);
  }

  #enumerated(): number {
    this.log.push("patterns enumerated");
    return notImplemented;
  }

  #act(element: MockElement, what: string): number {
    this.log.push(`${nameOf(element)}: ${what}`);
    return element.result ?? ok;
  }

  #pattern(element: MockElement, pattern: number, out: bigint): number {
    const made = element.patterns.includes(pattern) ? this.#patterns.get(pattern)?.make(element) : undefined;
    return this.#give(out, "void *", made ?? null);
  }

  /** Each pattern has its own table, as real ones do: a method in another slot is another method. */
  #patternClass(pattern: number): ComClass<MockElement> {
    const [name = "", ...methods] = patternMethods[pattern] ?? [];
    const slots: Record<number, Methods[number]> = {};
    for (const [index, declaration] of methods.entries()) {
      if (declaration === "") continue;
      const [method = "", parameters = ""] = declaration.split("|");
      const called = (self: bigint, ...args: readonly unknown[]): number =>
        this.#called(made.subjectOf(self), name, method, args);
      slots[index + 3] = [parameters, called];
    }
    const made = new ComClass<MockElement>([table("fb377fbe-8ea6-46d5-9c73-6499642d3059", methods.length + 3, slots)]);
    return made;
  }

  #called(element: MockElement, pattern: string, method: string, args: readonly unknown[]): number {
    if (method === "get_DocumentRange") {
      return this.#make(this.#ranges, element.properties.get(30045) as string, args[0] as bigint);
    }
    const shown = args.map((each) => (typeof each === "bigint" ? readText(each) : String(each)));
    return this.#act(element, `${pattern}.${method}(${shown.join(", ")})`);
  }
}

const nameOf = ({ properties }: MockElement): string => properties.get(30005) as string;

function readText(address: bigint): string {
  const bytes = koffi.decode(address - 4n, "uint32") as number;
  return bytes === 0 ? "" : koffi.decode.string16(address, bytes / 2);
}
