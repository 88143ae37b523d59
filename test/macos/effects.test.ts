import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSession } from "../../src/app.ts";
import { loadConfig } from "../../src/config/load.ts";
import { callTool } from "../../src/tools/call.ts";
import type { Session } from "../../src/tools/session.ts";
import { openSimulator, type Simulator } from "../simulators/macos/simulator.ts";

let simulator: Simulator;
let session: Session;

beforeAll(async () => {
  simulator = await openSimulator();
  const config = loadConfig({ flags: { policy: "allow", journal: "off", ocr: "off" }, env: {} });
  session = openSession(config, { backend: simulator.backend });
});

beforeEach(() => simulator.ask("reset"));

afterAll(async () => {
  await session[Symbol.asyncDispose]();
  expect(await simulator.close()).toMatchObject({ live: 0, objects: [], held: false, violations: [] });
});

async function call(tool: string, args: unknown): Promise<Record<string, unknown>> {
  const outcome = await callTool(session, { tool, arguments: args, canAsk: false });
  if (outcome.kind === "done") return outcome.data;
  if (outcome.kind === "failed") return { error: outcome.envelope.error };
  throw new Error("the call asked for permission");
}

interface Found {
  readonly elements: readonly { readonly uid: string; readonly name: string; readonly role: string }[];
}

async function uidOf(name: string): Promise<string> {
  const { elements } = (await call("find_elements", { app_name: "Conformance", name })) as unknown as Found;
  const found = elements.find((each) => each.name === name && each.role !== "text") ?? elements[0];
  if (!found) throw new Error(`no element "${name}"`);
  return found.uid;
}

/** What the app reported that a person could see. */
async function seenByApp(): Promise<readonly string[]> {
  const log = JSON.parse(await simulator.ask("log")) as readonly { readonly event: string; readonly name?: string }[];
  return log.filter(({ name }) => name !== undefined).map(({ event, name }) => `${event} ${name}`);
}

type Cell = readonly [what: string, tool: string, name: string, args: Record<string, unknown>, event: string];

const delivered = (delivery: string, name: string, event: string): Cell => [
  `${delivery} click on "${name}"`,
  "click",
  name,
  { delivery },
  event,
];

const cells: readonly Cell[] = [
  ...["auto", "foreground", "background"].flatMap((delivery) => [
    delivered(delivery, "Press me", "pressed Press me"),
    delivered(delivery, "Check me", "toggled Check me"),
    delivered(delivery, "More", "expanded More"),
  ]),
  delivered("auto", "Fruit 2", "selected Fruit 2"),
  delivered("foreground", "Fruit 2", "selected Fruit 2"),
  ["ax_click on a button", "ax_click", "Press me", {}, "pressed Press me"],
  ["ax_toggle", "ax_toggle", "Check me", {}, "toggled Check me"],
  ["ax_expand", "ax_expand", "More", {}, "expanded More"],
  ["ax_select on a row", "ax_select", "Fruit 2", {}, "selected Fruit 2"],
  ["ax_set_value on a slider", "ax_set_value", "Volume", { value: 70 }, "value Volume"],
];

describe("the effect reported is what the app's own log says (simulator):", () => {
  test.each(cells)("%s", async (_what, tool, name, args, event) => {
    const result = await call(tool, { uid: await uidOf(name), ...args });
    expect([await seenByApp(), result["effect"]]).toEqual([[event], "confirmed"]);
  });

  test.each(["auto", "foreground", "background"])("%s click on a button that does nothing", async (delivery) => {
    const result = await call("click", { uid: await uidOf("Inert"), delivery });
    expect([await seenByApp(), result["effect"]]).toEqual([[], "no_change"]);
  });

  test("a disabled button is refused, and the app hears nothing", async () => {
    const result = await call("click", { uid: await uidOf("Disabled"), delivery: "background" });
    expect([await seenByApp(), result]).toEqual([[], { error: expect.objectContaining({ code: "not_dispatchable" }) }]);
  });

  test("typing and writing a text", async () => {
    const uid = await uidOf("Notes");
    const typed = await call("type_text", { uid, text: "Grüße 🎉" });
    expect([await simulator.ask("text"), typed["effect"]]).toEqual(["Grüße 🎉", "confirmed"]);
    const written = await call("ax_set_value", { uid, value: "漢字" });
    expect([await simulator.ask("text"), written["effect"]]).toEqual(["漢字", "confirmed"]);
    expect(written["dispatched_via"]).toBe("AXSetAttributeValue");
  });

  test("a drag onto the drop zone [S4-43, S4-67]", async () => {
    const result = await call("drag", { uid: await uidOf("Drag me"), to_uid: await uidOf("Drop here") });
    expect([await seenByApp(), result["effect"]]).toEqual([["dropped Drop here"], "confirmed"]);
  });

  test("a key without any effect", async () => {
    await simulator.ask("act focus field");
    expect(await call("press_key", { key: "f19", app_name: "Conformance" })).toMatchObject({ effect: "no_change" });
  });
});
