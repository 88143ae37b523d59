import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

let server: PageServer;
let browser: BrowserSession;

beforeAll(async () => {
  server = await servePages();
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const result = async (code: string): Promise<unknown> =>
  (await browser.call("cdp_evaluate_script", { function: code, settle_ms: 0 }))["result"];

/** The same numbers in every run, so that a failure can be reproduced. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Node {
  readonly uid: string;
  readonly role: string;
  readonly name: string;
}

const actions = 1_000;

test(
  "a thousand random actions on a hostile page reach the intended element, or none [S2-105] [S2-107] [S2-119]",
  { timeout: 600_000 },
  async () => {
    await browser.call("cdp_navigate", { url: `${server.own}/torture.html` });
    await browser.call("cdp_wait_for", { text: ["E3"], timeout: 20_000 });
    const { snapshot, nodes } = await browser.call("cdp_take_dom_snapshot", { max_nodes: 5_000, max_tokens: 50_000 });
    expect(nodes).toBeGreaterThan(2_400);
    const all: Node[] = String(snapshot)
      .split("\n")
      .flatMap((line) => {
        const [, uid, role, name] = /^ *(d\d+) (button|link|checkbox|textbox|image) "([^"]*)"/.exec(line) ?? [];
        return uid && role && name ? [{ uid, role, name }] : [];
      });
    const special = all.filter(({ name }) => !/^(Button|Link|Check|Field) \d/.test(name));
    for (const name of [
      "Swaying",
      "Dialog",
      "Closed one",
      "Open one",
      "A1",
      "B2",
      "D3",
      "E1",
      "Srcdoc",
      "Sticky",
      "Row 1",
      "Editor",
      "Drawing",
    ]) {
      expect(
        special.map((each) => each.name),
        name,
      ).toContain(name);
    }
    const random = numbers(7);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const wrong: string[] = [];
    const counts = { done: 0, refused: 0 };
    const refusals = new Map<string, number>();
    const values = new Map<string, string>();
    await result("() => { log.length = 0; }");
    for (let index = 0; index < actions; index++) {
      const node = random() < 0.2 ? pick(special) : pick(all);
      const isField = node.role === "textbox";
      // Looking for the effect each time would only take longer; here the page's own log decides.
      const settle_ms = index % 10 === 0 ? 30 : 0;
      try {
        if (isField) {
          await browser.call("cdp_fill", { uid: node.uid, value: `v${index}`, settle_ms });
          values.set(node.name, `v${index}`);
        } else {
          const data = await browser.call("cdp_click", { uid: node.uid, settle_ms });
          if (data["dialog"]) await browser.call("cdp_handle_dialog", { action: "accept", settle_ms });
        }
        counts.done++;
      } catch (error) {
        const { code = "", message = String(error) } = error as { code?: string; message?: string };
        counts.refused++;
        refusals.set(code, (refusals.get(code) ?? 0) + 1);
        // A row that was redrawn is gone; nothing else may fail.
        if (!(node.name.startsWith("Row") && code === "uid_not_found")) wrong.push(`${node.name}: ${code} ${message}`);
        continue;
      }
      if (isField) continue;
      const logged = (await result(
        "() => new Promise((done) => setTimeout(() => done(log.splice(0)), 0))",
      )) as string[];
      const expected = expectedLog(node);
      const isRight =
        expected === undefined
          ? logged.every((each) => each.startsWith("other"))
          : logged.length === 1 && logged[0] === expected;
      // Messages from a frame may come a moment later.
      if (!isRight && !(await arrives(expected, logged)))
        wrong.push(`${node.name}: expected ${expected}, the page saw ${JSON.stringify(logged)}`);
    }
    const held = (await result(
      "() => Object.fromEntries([...document.querySelectorAll('input[aria-label^=Field]')].map((e) => [e.ariaLabel, e.value]))",
    )) as Record<string, string>;
    for (const [name, value] of values)
      if (name !== "Editor" && held[name] !== value) wrong.push(`${name} holds ${held[name]}, not ${value}`);
    console.log(
      `torture: ${counts.done} of ${actions} actions done, ${counts.refused} refused ${JSON.stringify([...refusals])}, ${wrong.length} wrong`,
    );
    // Printed, because a retry would hide it.
    for (const line of wrong) console.log(`  ${line}`);
    expect(wrong).toEqual([]);
    expect(counts.done).toBeGreaterThan(actions * 0.9);
  },
);

async function arrives(expected: string | undefined, logged: readonly string[]): Promise<boolean> {
  if (expected === undefined || logged.length > 0) return false;
  // How much later depends on the machine.
  const later = (await result(
    "async () => { for (let i = 0; i < 250 && log.length === 0; i++) await new Promise((done) => setTimeout(done, 20)); return log.splice(0); }",
  )) as string[];
  return later.length === 1 && later[0] === expected;
}

const own: Readonly<Record<string, string>> = { Swaying: "sway", Sticky: "sticky", Dialog: "dialog" };

function expectedLog({ name, role }: Node): string | undefined {
  if (role === "image") return undefined;
  if (role === "checkbox") return name.replace("Check ", "check c");
  return own[name] ?? name;
}
