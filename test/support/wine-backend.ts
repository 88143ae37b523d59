import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Backend } from "../../src/platform/backend.ts";
import type { Wine } from "./wine.ts";
import {
  pack,
  readPixels,
  unpack,
  unpackError,
  type Carrier,
  type FromBackend,
  type FromTest,
  type Members,
} from "./windows/wire.ts";

/** The backend of Windows, which runs in node.exe under Wine, as if it were in this process. */
export async function openWineBackend(wine: Wine): Promise<Backend> {
  const child = wine.node("test/support/windows/serve-backend.ts", [wine.folder.windows]);
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("node.exe has no pipes");
  const ended = once(child, "close");
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: unknown) => void }
  >();
  const listeners = new Map<number, (...args: unknown[]) => void>();
  let number = 0;
  const tell = (line: FromTest): void => void stdin.write(`${JSON.stringify(line)}\n`);
  const answered = (id: number): Promise<unknown> =>
    new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  const carrier: Carrier = {
    pack(value) {
      if (typeof value === "function") {
        listeners.set(++number, value as (...args: unknown[]) => void);
        return { $listener: number };
      }
      if (!(value instanceof AbortSignal)) return undefined;
      const id = ++number;
      value.addEventListener("abort", () => tell({ abort: id }), { once: true });
      return { $signal: id, isAborted: value.aborted };
    },
    unpack(value) {
      const { $disposable: disposable, $pixels: file, ...rest } = value;
      if (typeof disposable === "number") {
        return {
          async [Symbol.asyncDispose]() {
            const done = answered(-disposable);
            tell({ dispose: disposable });
            await done;
          },
        };
      }
      if (typeof file !== "string") return undefined;
      const data = readPixels(wine.folder.linux, file);
      const capture = unpack(rest, carrier) as { readonly pixels: object };
      return { ...capture, pixels: { ...capture.pixels, data }, [Symbol.dispose]() {} };
    },
  };
  const call = async (path: readonly string[], args: readonly unknown[]): Promise<unknown> => {
    const id = ++number;
    const answer = answered(id);
    tell({ call: id, path, args: args.map((each) => pack(each, carrier)) });
    return answer;
  };
  const members = new Promise<Readonly<Record<string, Members>>>((resolve, reject) => {
    createInterface({ input: stdout }).on("line", (text) => {
      const line = JSON.parse(text) as FromBackend;
      if ("members" in line) resolve(line.members);
      else if ("heard" in line) listeners.get(line.heard)?.(...line.args.map((each) => unpack(each, carrier)));
      else {
        const { resolve: done, reject: failed } = waiting.get(line.answer) ?? {};
        waiting.delete(line.answer);
        if (line.error) failed?.(unpackError(line.error));
        else done?.(unpack(line.value, carrier));
      }
    });
    void ended.then(([code]) => {
      const error = new Error(`the backend ended with ${String(code)}`);
      reject(error);
      for (const { reject: failed } of waiting.values()) failed(error);
    });
  });
  const abilities = Object.entries(await members).map(([ability, { methods, values }]) => {
    const calls = methods.map((method) => [method, (...args: unknown[]) => call([ability, method], args)]);
    return [ability, { ...values, ...Object.fromEntries(calls) }];
  });
  return {
    ...(Object.fromEntries(abilities) as Partial<Backend>),
    id: "windows",
    diagnose: async () => (await call(["diagnose"], [])) as Awaited<ReturnType<Backend["diagnose"]>>,
    async [Symbol.asyncDispose]() {
      stdin.end();
      await ended;
    },
  };
}
