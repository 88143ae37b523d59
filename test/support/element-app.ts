import { onTestFinished } from "vitest";
import { poll } from "../../src/base/async.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type Fixture } from "./fixture.ts";
import { startHandsight, type Answer, type Handsight } from "./handsight.ts";

/** `onTestFinished`; a concurrent test passes its own, from its context. */
type AtEnd = (work: () => PromiseLike<void> | void) => void;

/** A private desktop with the product on it; both end with the test. */
export async function openDesktop(size = { width: 1600, height: 1000 }, atEnd: AtEnd = onTestFinished) {
  const desktop = await openVirtualDesktop({ ...size, monitors: 1, scale: 1 });
  atEnd(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env, ["--log-level", "error"]);
  atEnd(() => handsight[Symbol.asyncDispose]());
  return { env: desktop.env, handsight };
}

export interface Started {
  readonly app: Fixture;
  readonly uid: (selector: string) => Promise<string>;
  readonly windowId: number;
}

/** A fixture whose elements can be found; it ends with the test. */
export async function startApp(
  handsight: Handsight,
  fixture: string,
  title: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
  atEnd: AtEnd = onTestFinished,
): Promise<Started> {
  const app = await startFixture(fixture, { env, args });
  atEnd(() => app.stop());
  await app.waitFor(({ event }) => event === "ready", 30_000);
  const { window } = await handsight.call("wait_for", { window_title: title, timeout_ms: 30_000 });
  const uid = async (selector: string): Promise<string> => {
    const found = await poll(
      async () => {
        const { data } = await handsight.ask("find_elements", { selector, window_title: title });
        return (data["elements"] as { uid: string }[] | undefined)?.[0]?.uid;
      },
      { timeoutMs: 20_000, everyMs: 50 },
    );
    if (found === undefined) throw new Error(`${title} has no ${selector}`);
    return found;
  };
  await uid("*");
  return { app, uid, windowId: (window as { window_id: number }).window_id };
}

/** Every deadline of the product is far below this; a call that takes longer hangs. */
const hangMs = 30_000;

export async function answered(handsight: Handsight, tool: string, args: object): Promise<Answer> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error(`${tool} hangs`)), hangMs).unref();
  });
  return Promise.race([handsight.ask(tool, args), late]);
}

export const codeOf = ({ data }: Answer): string | undefined => (data as { error?: { code: string } }).error?.code;
