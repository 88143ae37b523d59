import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep } from "../../src/base/async.ts";
import type { Backend } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { toolkits, type Toolkit } from "../support/accessible.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let handsight: Handsight;
/** The person's own keyboard and eyes: another connection to the same display. */
let person: Backend;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
  person = openLinux(desktop.env);
});

afterAll(async () => {
  await person?.[Symbol.asyncDispose]();
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

/** How many native actions are performed in each toolkit; ten characters are typed during each. */
const actions: Readonly<Record<Toolkit, number>> = { gtk3: 200, gtk4: 40, qt5: 40, qt6: 40 };
const perAction = 10;

test.each(toolkits)(
  "%s is used in the background while a person types elsewhere: pointer, focus and text stay theirs [S1-123, S2-4, S2-53, S4-44]",
  { timeout: 120_000 },
  async (toolkit) => {
    await using app = await startFixture(`${toolkit}_controls`, { env: desktop.env, args: ["--rows", "50"] });
    await app.waitFor(({ event }) => event === "ready", 30_000);
    await handsight.call("wait_for", { condition: "window_active", pid: app.pid, timeout_ms: 30_000 });
    await handsight.call("wait_for", { condition: "stable", pid: app.pid, timeout_ms: 30_000 });
    await using editor = await startFixture("gtk3_editor", { env: desktop.env, args: ["--geometry", "500x400"] });
    await handsight.call("wait_for", { condition: "window_active", pid: editor.pid, timeout_ms: 30_000 });
    await editor.waitFor(({ event }) => event === "focus", 30_000);

    const uids = await findControls(app.pid);
    const count = actions[toolkit];
    const text = prose(count * perAction);
    await using watch = watchPerson();
    const said = app.events.length;
    const results: Record<string, unknown>[] = [];
    for (let number = 0; number < count; number++) {
      const typed = text.slice(number * perAction, (number + 1) * perAction);
      const [result] = await Promise.all([act(uids, number), person.keyboard?.text(typed, { delayMs: 2 })]);
      results.push(result);
    }

    expect(await editor.waitForText(text, 30_000)).toBe(text);
    const { looks, pointers, foregrounds } = await watch.end();
    expect(looks).toBeGreaterThan(count / 4);
    expect([...pointers]).toHaveLength(1);
    expect([...foregrounds]).toEqual([editor.pid]);
    expect(editor.events.filter(({ event }) => event === "focus")).toHaveLength(1);
    expect(results.filter(({ ok, method }) => ok === true && method === "ax")).toHaveLength(count);
    expect(results.filter(({ effect }) => effect === "no_change")).toEqual([]);
    const logged = (wanted: string) => () => app.events.slice(said).filter(({ event }) => event === wanted).length;
    const share = (kind: number) =>
      Array.from({ length: count }, (_, number) => number % 6).filter((each) => each === kind);
    await expect.poll(logged("pressed"), { timeout: 30_000 }).toBe(count / 2);
    await expect.poll(logged("toggled"), { timeout: 30_000 }).toBe(share(3).length);
    await expect.poll(logged("value"), { timeout: 30_000 }).toBe(share(1).length);
  },
);

interface Uids {
  readonly press: string;
  readonly toggle: string;
  readonly volume: string;
  readonly username: string;
}

async function findControls(pid: number): Promise<Uids> {
  const find = async (selector: string): Promise<string> => {
    const { elements } = await handsight.call("find_elements", { selector, pid });
    const [first] = elements as readonly { uid: string }[];
    if (!first) throw new Error(`no ${selector}`);
    return first.uid;
  };
  return {
    press: await find('Button:"Press me"'),
    toggle: await find(':"Toggle me"[focusable]'),
    volume: await find("Slider:Volume"),
    username: await find("TextBox:Username"),
  };
}

/** Every kind of native action in turn, each logged by the app; most unverified, to be quick, some verified. */
function act({ press, toggle, volume, username }: Uids, number: number): Promise<Record<string, unknown>> {
  const wait = number % 10 === 0 ? {} : { settle_ms: 0 };
  switch (number % 6) {
    case 1:
      return handsight.call("ax_set_value", { uid: volume, value: (number % 99) + 1, ...wait });
    case 3:
      return handsight.call("ax_toggle", { uid: toggle, ...wait });
    case 5:
      return handsight.call("ax_set_value", { uid: username, text: `name ${number}`, ...wait });
    case 4:
      return handsight.call("click", { uid: press, delivery: "background", ...wait });
    default:
      return handsight.call("ax_click", { uid: press, ...wait });
  }
}

const words = ["Sphinx", "of", "black", "quartz,", "judge", "my", "vow!", "Größe", "naïve", "2+2=4;", "(ok)", "ÆØÅ"];

/** Text in which a lost, doubled or swapped character shows. */
function prose(length: number): string {
  let text = "";
  for (let number = 0; text.length < length; number++) text += `${words[(number * 7) % words.length]}${number} `;
  return text.slice(0, length);
}

/** Keeps checking where the pointer is and which window is in front, until stopped. */
function watchPerson() {
  const pointers = new Set<string>();
  const foregrounds = new Set<number | undefined>();
  const over = new AbortController();
  let looks = 0;
  const look = async () => {
    while (!over.signal.aborted) {
      const [at, windows] = await Promise.all([person.pointer?.position(), person.windows?.list()]);
      pointers.add(JSON.stringify(at));
      foregrounds.add(windows?.find(({ isForeground }) => isForeground)?.pid);
      looks += 1;
      await sleep(5);
    }
  };
  const looking = look();
  const end = async () => {
    over.abort();
    await looking;
    return { looks, pointers, foregrounds };
  };
  return { end, [Symbol.asyncDispose]: async () => void (await end()) };
}
