import type { Door } from "../../support/doors.ts";

/** What something is called in a call. */
export type Name = Readonly<Record<string, string | number>>;

/** An answer without what differs between any two calls, and without the name, which errors repeat. */
export async function answerTo({ ask }: Pick<Door, "ask">, tool: string, args: object, name: Name): Promise<string> {
  const { data, text: told, isError, images } = await ask(tool, { ...args, ...name });
  const { step_id: _step, waited_ms: _waited, WaitedMs: _ms, pid: _pid, ...facts } = data;
  const { watch: _watch, resource: _resource, started_at: _at, ...rest } = facts;
  const timeless = told.replaceAll(/\d+ ms|pid \d+|"WaitedMs":\d+|\bw\d+\b|started at: \d+/g, "N");
  const text = JSON.stringify([isError, images.length, rest, timeless]);
  return Object.values(name).reduce<string>((told, value) => told.replaceAll(whole(value), "NAME"), text);
}

/** A number inside a longer one is not the name: pid 914 is not in window 6291457. */
const whole = (value: string | number): string | RegExp =>
  typeof value === "number" ? new RegExp(`(?<!\\d)${value}(?!\\d)`, "g") : JSON.stringify(value).slice(1, -1);
