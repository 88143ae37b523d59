import { describe, expect, test, vi } from "vitest";
import { Lock, poll, sleep, withAnySignal, withDeadline } from "./async.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("sleep", () => {
  test("ends at once with `cancelled` when the signal aborts", async () => {
    const controller = new AbortController();
    const waiting = sleep(60_000, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  });
});

describe("withAnySignal", () => {
  test("passes on the first abort with its reason, even one from before", async () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const reason = await withAnySignal([a.signal, b.signal], async (signal) => {
      b.abort("b");
      a.abort("a");
      return signal.reason as unknown;
    });
    expect(reason).toBe("b");
    expect(await withAnySignal([new AbortController().signal, a.signal], async ({ aborted }) => aborted)).toBe(true);
  });
});

describe("withDeadline", () => {
  test("fails with `timeout` and tells the work to stop", async () => {
    let seen: AbortSignal | undefined;
    const run = withDeadline({ ms: 5, what: "the walk" }, (signal) => {
      seen = signal;
      return new Promise(() => {});
    });
    await expect(run).rejects.toMatchObject({ code: "timeout", message: expect.stringContaining("the walk") });
    expect(seen?.aborted).toBe(true);
  });

  test("passes a cancel on, and a result through", async () => {
    const controller = new AbortController();
    const run = withDeadline({ ms: 60_000, what: "x", signal: controller.signal }, () => new Promise(() => {}));
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: "cancelled" });
    await expect(withDeadline({ ms: 60_000, what: "x" }, async () => 7)).resolves.toBe(7);
  });

  test("lets any number of requests listen for its end without a warning", async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on("warning", warned);
    await withDeadline({ ms: 60_000, what: "x" }, async (signal) => {
      for (let count = 0; count < 20; count++) signal.addEventListener("abort", () => {});
      // Warnings are emitted in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
    });
    process.off("warning", warned);
    expect(warned).not.toHaveBeenCalled();
  });
});

describe("poll", () => {
  test("asks exactly once with a timeout of 0", async () => {
    let asked = 0;
    const answer = await poll(
      async () => {
        asked++;
        return undefined;
      },
      { timeoutMs: 0, everyMs: 1 },
    );
    expect([answer, asked]).toEqual([undefined, 1]);
  });

  test("returns the first answer", async () => {
    let asked = 0;
    const ask = async () => (++asked === 3 ? "there" : undefined);
    expect(await poll(ask, { timeoutMs: 10_000, everyMs: 1 })).toBe("there");
  });
});

describe("the lock", () => {
  test("lets observers in together and actors alone, first come first served", async () => {
    const lock = new Lock();
    const log: string[] = [];
    const gates = new Map<string, () => void>();
    const enter = (name: string, mode: "shared" | "exclusive", signal?: AbortSignal) =>
      lock.run(mode, signal, async () => {
        log.push(`+${name}`);
        await new Promise<void>((resolve) => gates.set(name, resolve));
        log.push(`-${name}`);
      });
    const all = [enter("see1", "shared"), enter("see2", "shared"), enter("act", "exclusive"), enter("see3", "shared")];
    await turn();
    expect(log).toEqual(["+see1", "+see2"]);
    gates.get("see1")?.();
    gates.get("see2")?.();
    await turn();
    expect(log.at(-1)).toBe("+act");
    gates.get("act")?.();
    await turn();
    expect(log.at(-1)).toBe("+see3");
    gates.get("see3")?.();
    await Promise.all(all);
  });

  test("a cancelled waiter does not delay those behind it", async () => {
    const lock = new Lock();
    let open = () => {};
    const holder = lock.run("exclusive", undefined, () => new Promise<void>((resolve) => (open = resolve)));
    const controller = new AbortController();
    const gaveUp = lock.run("exclusive", controller.signal, async () => {});
    const behind = lock.run("shared", undefined, async () => "in");
    controller.abort();
    await expect(gaveUp).rejects.toMatchObject({ code: "cancelled" });
    open();
    await holder;
    await expect(behind).resolves.toBe("in");
  });

  test("is released when the work fails", async () => {
    const lock = new Lock();
    await expect(lock.run("exclusive", undefined, async () => Promise.reject(new Error("boom")))).rejects.toThrow(
      "boom",
    );
    await expect(lock.run("exclusive", undefined, async () => 1)).resolves.toBe(1);
  });
});
