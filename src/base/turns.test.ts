import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sleep } from "./async.ts";
import { Turns } from "./turns.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handsight-turns-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const actor = { client: "claude 1.0", tool: "drag" };
const options = { signal: new AbortController().signal, timeoutMs: 5_000 };

test("turns are taken one at a time and in the order they were asked for", async () => {
  const turns = [new Turns(folder), new Turns(folder)];
  const order: number[] = [];
  let inside = 0;
  const all = Array.from({ length: 12 }, async (_, index) => {
    // Requested one after the other, without waiting for the turn itself.
    await sleep(index * 4);
    const end = await turns[index % 2]?.take(actor, options);
    expect(++inside).toBe(1);
    order.push(index);
    await sleep(6);
    inside--;
    end?.();
  });
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: 12 }, (_, index) => index));
  expect(readdirSync(folder)).toEqual([]);
});

test("calls of one process queue in memory: others see only one of them ask for the desktop", async () => {
  const turns = new Turns(folder);
  const order: number[] = [];
  const all = Array.from({ length: 50 }, async (_, index) => {
    const end = await turns.take(actor, options);
    order.push(index);
    await sleep(0);
    expect(readdirSync(folder).filter((name) => name.startsWith("ticket"))).toEqual([]);
    end();
  });
  await Promise.all(all);
  expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
});

test("a process with many calls lets another one in between", async () => {
  const [busy, other] = [new Turns(folder), new Turns(folder)];
  let done = 0;
  const many = Array.from({ length: 20 }, async () => {
    const end = await busy.take(actor, options);
    await sleep(5);
    done++;
    end();
  });
  await sleep(0);
  const end = await other.take(actor, options);
  expect(done).toBeLessThan(5);
  end();
  await Promise.all(many);
});

test("a caller that waits too long learns who has it, and leaves nothing behind", async () => {
  const turns = new Turns(folder);
  const end = await turns.take(actor, options);
  const told: string[] = [];
  const late = turns.take(
    { client: "cli", tool: "click" },
    { ...options, timeoutMs: 30, onWait: (who) => told.push(who) },
  );
  await expect(late).rejects.toMatchObject({
    code: "timeout",
    message: expect.stringContaining("claude 1.0 (pid") as string,
  });
  expect(told[0]).toContain("in drag");
  end();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["claude 1.0", "a/b", "", "ü".repeat(100), "x".repeat(600)])(
  "another process learns who has it, with as much of %j as fits",
  async (client) => {
    const end = await new Turns(folder).take({ client, tool: "cdp_evaluate_script" }, options);
    expect(Buffer.byteLength(readlinkSync(join(folder, "turn")))).toBeLessThanOrEqual(59);
    const told: string[] = [];
    const late = new Turns(folder).take(actor, { ...options, timeoutMs: 30, onWait: (who) => told.push(who) });
    await expect(late).rejects.toMatchObject({ code: "timeout" });
    const [, name = "", tool] = /^(.*) \(pid \d+\), which has been in (\w+) for/s.exec(told[0] ?? "") ?? [];
    expect(client.startsWith(name) && (name.length >= 5 || name === client)).toBe(true);
    expect(tool).toBe("cdp_evaluate_script");
    end();
  },
);

test("a name that no link can hold does not prevent an action", async () => {
  (await new Turns(folder).take({ client: "a\0b\nc", tool: "click" }, options))();
  expect(readdirSync(folder)).toEqual([]);
});

test("the folder is removed with its last user, and recreated when needed", async () => {
  const [one, other] = [new Turns(join(folder, "page")), new Turns(join(folder, "page"))];
  const end = await one.take(actor, options);
  other[Symbol.dispose]();
  expect(readdirSync(folder)).toEqual(["page"]);
  end();
  one[Symbol.dispose]();
  expect(readdirSync(folder)).toEqual([]);
  (await other.take(actor, options))();
  expect(readdirSync(folder)).toEqual(["page"]);
});

test("a cancelled wait ends at once", async () => {
  const turns = new Turns(folder);
  const end = await turns.take(actor, options);
  const abort = new AbortController();
  const waiting = turns.take(actor, { ...options, signal: abort.signal });
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  end();
});

test("a process that died blocks nobody", async () => {
  const dead = { pid: 4_194_303, started: "1" };
  writeFileSync(join(folder, "turn"), `${dead.pid}/${dead.started}/0/drag/claude`);
  writeFileSync(join(folder, `ticket-00000000000000000001-${dead.pid}-abcdef`), "");
  const end = await new Turns(folder).take(actor, options);
  end();
  expect(readdirSync(folder)).toEqual([]);
});
