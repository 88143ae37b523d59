import { once } from "node:events";
import { createInterface } from "node:readline";
import { poll } from "../../../src/base/async.ts";
import type { FixtureEvent } from "../fixture.ts";
import type { Wine } from "../wine.ts";

/** A fixture app, run by a node.exe of its own. */
export interface WindowsApp extends AsyncDisposable {
  readonly pid: number;
  readonly windowId: number;
  readonly title: string;
  /** Everything the app has reported so far, oldest first. */
  readonly events: readonly FixtureEvent[];
  /** Resolves when the app has done it. */
  tell(deed: string, name?: string): Promise<void>;
  /** Ends without a word to anybody. */
  kill(): Promise<void>;
}

const titles = { uia: "UIA Controls", msaa: "MSAA Controls", common: "Common Controls" } as const;

/** Painted controls offered over UI Automation or MSAA, or the controls that Windows brings along. */
export async function startWindowsApp(wine: Wine, kind: keyof typeof titles, rows = 9): Promise<WindowsApp> {
  let errors = "";
  const file = kind === "common" ? "common-controls.ts" : "controls.ts";
  const child = wine.node(`test/fixtures/windows/${file}`, [kind, String(rows)], {
    stderr: (text) => {
      errors = (errors + text).slice(-2000);
    },
  });
  const ended = once(child, "exit");
  const events: FixtureEvent[] = [];
  if (!child.stdout) throw new Error("the app has no output");
  createInterface({ input: child.stdout }).on("line", (line) => events.push(JSON.parse(line) as FixtureEvent));
  child.stdin?.on("error", () => {});
  const said = async (fits: (event: FixtureEvent) => boolean): Promise<FixtureEvent> => {
    const found = await poll(async () => events.find(fits), { timeoutMs: 30_000, everyMs: 20 });
    if (!found) throw new Error(`the app said ${JSON.stringify(events.slice(-4))} ${errors}`);
    return found;
  };
  const { pid, windowId } = await said(({ event }) => event === "ready");
  let told = 0;
  const send = (deed: string, name?: string): void =>
    void child.stdin?.write(`${JSON.stringify({ do: deed, ...(name === undefined ? {} : { name }) })}\n`);
  const kill = async (): Promise<void> => {
    send("die");
    await ended;
  };
  return {
    pid: Number(pid),
    windowId: Number(windowId),
    title: titles[kind],
    events,
    async tell(deed, name) {
      told += 1;
      const number = told;
      send(deed, name);
      await said(({ event, number: done }) => event === "did" && done === number);
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
