import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servePages } from "../support/browser.ts";
import { heldIn, openDoor, type DoorName } from "../support/doors.ts";
import { visitorAt, type Visitor } from "../support/visitor.ts";
import { canary, framePages } from "./attacks/frame-pages.ts";
import { frameAttacks, tidy, type FrameStage } from "./attacks/frames.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "handsight-frames-"));
const rules = { blockedWindowPatterns: ["*Vault*"], urls: { block: ["http://*/secret*"] } };
const writeRules = (name: string, more: object = {}): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ ...rules, ...more }));
  return file;
};

let stage: Omit<FrameStage, "guarded">;
let visitors: Readonly<Record<DoorName, Visitor>>;
const ends: AsyncDisposable[] = [];
const tried = { MCP: 0, HTTP: 0, CLI: 0 };
const held = { MCP: 0, HTTP: 0, CLI: 0 };

beforeAll(async () => {
  const use = <T extends AsyncDisposable>(each: T): T => {
    ends.push(each);
    return each;
  };
  const server = use(await servePages(framePages));
  const profiles = join(folder, "browsers");
  const open = async (door: DoorName, rules?: string): Promise<Visitor> => {
    const args = ["--settle-ms", "150", "--browser-dir", profiles, ...(rules === undefined ? [] : ["--rules", rules])];
    return visitorAt(use(await openDoor[door](process.env, args)));
  };
  const file = writeRules("policy.json");
  visitors = { MCP: await open("MCP", file), HTTP: await open("HTTP", file), CLI: await open("CLI", file) };
  const unmasked = await open("MCP", writeRules("open.json", { maskPasswordFields: false }));
  const person = await open("MCP");
  stage = { server, unmasked, person };
  const { port } = await visitors.MCP.call("cdp_launch", { headless: true });
  for (const each of [visitors.HTTP, unmasked, person]) await each.call("cdp_connect", { port });
});

afterAll(async () => {
  for (const each of ends.toReversed()) await each[Symbol.asyncDispose]();
  removeFolderNow(folder);
  console.log(`what is blocked in a frame is neither seen nor used: ${heldIn(held, tried)}`);
});

test.each(frameAttacks.map((attack) => [`${attack.name} (${attack.by ?? "MCP"})`, attack] as const))(
  "%s",
  async (_name, { by = "MCP", run }) => {
    tried[by]++;
    try {
      await run({ ...stage, guarded: visitors[by] });
      held[by]++;
    } catch (error) {
      await tidy(stage);
      throw error;
    }
  },
);

test("an allowed frame works as before, also beside a blocked one", async () => {
  const [guarded, { server }] = [visitors.MCP, stage];
  await guarded.call("cdp_navigate", { url: `${server.own}/allowed.html` });
  const find = async (query: string) =>
    ((await guarded.call("cdp_find_elements", { query }))["matches"] as { uid: string; role: string }[]).map(
      ({ uid }) => uid,
    );
  await expect.poll(async () => (await find("Press")).length, { timeout: 5_000 }).toBe(2);
  for (const uid of await find("Press"))
    expect(await guarded.call("cdp_click", { uid })).toMatchObject({ changed: true });
  expect(await find("Pressed")).toHaveLength(2);
  for (const uid of await find("Inside")) await guarded.call("cdp_fill", { uid, value: "filled" });
  await guarded.call("cdp_type_text", { text: " and typed" });
  const snapshot = JSON.stringify(await guarded.call("cdp_take_dom_snapshot"));
  expect(snapshot.match(/filled/g)).toHaveLength(2);
  expect(snapshot).toMatch(/filled and typed/);
  expect(snapshot).toContain("[blocked]");
  expect(snapshot).not.toContain(canary);
  await guarded.call("click", { x: 250, y: 110, surface: "page:1" });
  const script = { function: "() => document.querySelectorAll('iframe').length" };
  expect(await guarded.call("cdp_evaluate_script", script)).toMatchObject({ result: 3 });
});
