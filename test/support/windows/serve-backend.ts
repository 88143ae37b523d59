import { createInterface } from "node:readline";
import type { openWindows as OpenWindows } from "../../../src/platform/windows/index.ts";
import { pack, packError, unpack, writePixels, type Carrier, type FromBackend, type FromTest } from "./wire.ts";

// Compiled: node.exe runs TypeScript, but not all that is newer than it.
const compiled = new URL("../../../dist/platform/windows/index.js", import.meta.url).href;
const { openWindows } = (await import(compiled)) as { readonly openWindows: typeof OpenWindows };

/** The backend of Windows in node.exe, for a test on the other side of its standard input and output. */
const folder = process.argv[2] ?? "";
const backend = openWindows(process.env);
const say = (line: FromBackend): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const signals = new Map<number, AbortController>();
const disposables = new Map<number, AsyncDisposable>();
let opened = 0;

const carrier: Carrier = {
  pack(value) {
    if ("pixels" in value && Symbol.dispose in value) {
      const capture = value as { readonly pixels: { readonly data: Uint8Array } } & Disposable;
      const name = writePixels(folder, capture.pixels.data);
      // Without its way to dispose of it, it is plain data.
      const plain = Object.fromEntries(Object.entries(capture));
      capture[Symbol.dispose]();
      return pack({ ...plain, pixels: { ...capture.pixels, data: undefined }, $pixels: name }, carrier);
    }
    if (Symbol.asyncDispose in value) {
      disposables.set(++opened, value as AsyncDisposable);
      return { $disposable: opened };
    }
    return undefined;
  },
  unpack(value) {
    if (typeof value["$signal"] === "number") {
      const controller = new AbortController();
      signals.set(value["$signal"], controller);
      if (value["isAborted"] === true) controller.abort();
      return controller.signal;
    }
    const heard = value["$listener"];
    if (typeof heard === "number")
      return (...args: unknown[]) => say({ heard, args: pack(args, carrier) as unknown[] });
    return undefined;
  },
};

async function answer(line: FromTest): Promise<void> {
  if ("abort" in line) return signals.get(line.abort)?.abort();
  if ("dispose" in line) {
    const [number, disposable] = [line.dispose, disposables.get(line.dispose)];
    disposables.delete(number);
    await disposable?.[Symbol.asyncDispose]();
    return say({ answer: -number });
  }
  try {
    const [owner, method = ""] =
      line.path.length === 1 ? [backend, line.path[0]] : [Reflect.get(backend, line.path[0] ?? ""), line.path[1]];
    const value: unknown = await (Reflect.get(owner as object, method) as (...args: unknown[]) => unknown).apply(
      owner,
      line.args.map((each) => unpack(each, carrier)),
    );
    say({ answer: line.call, value: pack(value, carrier) });
  } catch (error) {
    say({ answer: line.call, error: packError(error) });
  }
}

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void answer(JSON.parse(line) as FromTest));
lines.on("close", () => {
  const end = (): never => process.exit(0);
  backend[Symbol.asyncDispose]().then(end, end);
});

function membersOf(ability: object): { readonly methods: string[]; readonly values: Record<string, unknown> } {
  const names = new Set<string>();
  for (
    let each: object | null = ability;
    each !== null && each !== Object.prototype;
    each = Object.getPrototypeOf(each) as object | null
  )
    for (const name of Object.getOwnPropertyNames(each)) if (name !== "constructor") names.add(name);
  const methods = [...names].filter((name) => typeof Reflect.get(ability, name) === "function");
  const values = Object.fromEntries(
    [...names].filter((name) => !methods.includes(name)).map((name) => [name, Reflect.get(ability, name) as unknown]),
  );
  return { methods, values };
}

const abilities = Object.entries(backend).filter(([, value]) => typeof value === "object" && value !== null);
say({ members: Object.fromEntries(abilities.map(([name, value]) => [name, membersOf(value as object)])) });
