import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

const uidIn = (lines: unknown, what: RegExp): string => {
  const line = (lines as readonly string[]).find((each) => what.test(each)) ?? "";
  const uid = /\ba\d+g\d+\b/.exec(line)?.[0];
  if (uid === undefined) throw new Error(`no uid of ${String(what)} in ${JSON.stringify(lines)}`);
  return uid;
};

test("after a click that opens a dialog no snapshot is needed: the lines about it carry uids to use", async () => {
  const { handsight, app } = await openApp("gtk3_controls", "GTK3 Controls");
  const opened = await handsight.call("click", { text: "Open dialog" });
  const { tree } = opened["changes"] as { tree: readonly string[] };
  const closed = await handsight.call("click", { uid: uidIn(tree, /^\+ button "Yes"/) });
  expect(closed).toMatchObject({
    effect: "confirmed",
    target: { element: expect.stringContaining('"Yes"') as string },
  });
  await app.waitFor(({ event, answer }) => event === "answer" && answer === "Yes");
});

test("a uid is the same in the next snapshot, and since lists only what changed, with uids", async () => {
  const { handsight } = await openApp("gtk3_controls", "GTK3 Controls");
  const first = await handsight.call("take_ax_snapshot", {});
  const lines = String(first["snapshot"]).split("\n");
  const check = uidIn(lines, /checkbox "Check me"/);
  const again = await handsight.call("take_ax_snapshot", {});
  expect(uidIn(String(again["snapshot"]).split("\n"), /checkbox "Check me"/)).toBe(check);
  const nothing = await handsight.ask("take_ax_snapshot", { since: again["snapshot_id"] });
  expect(nothing.data).toMatchObject({ snapshot: "nothing changed", cut: 0, since: again["snapshot_id"] });
  await handsight.call("click", { uid: check });
  const since = await handsight.call("take_ax_snapshot", { since: first["snapshot_id"] });
  expect(String(since["snapshot"]).split("\n")).toContainEqual(
    expect.stringMatching(new RegExp(`^~ checkbox "Check me" ${check} .*checked`)),
  );
  expect(String(since["snapshot"]).length).toBeLessThan(String(first["snapshot"]).length / 3);
  const unknown = await handsight.call("take_ax_snapshot", { since: "g99" });
  expect(unknown).toMatchObject({ warning: expect.stringContaining("g99") as string });
  expect(String(unknown["snapshot"]).split("\n").length).toBe(lines.length);
});

test("with the S2 surface every snapshot is a new generation, and older uids have expired [S2-9, S2-11]", async () => {
  const { handsight } = await openApp("gtk3_controls", "GTK3 Controls", { args: ["--tools", "devtools,desktop"] });
  const first = await handsight.call("take_ax_snapshot", {});
  const press = uidIn(String(first["snapshot"]).split("\n"), /button "Press me"/);
  const second = await handsight.call("take_ax_snapshot", {});
  expect(second["generation"]).toBe(Number(first["generation"]) + 1);
  for (const tool of ["ax_click", "ax_select"]) {
    await expect(handsight.call(tool, { uid: press })).rejects.toMatchObject({ code: "snapshot_expired" });
  }
  await expect(handsight.call("ax_set_value", { uid: press, text: "x" })).rejects.toMatchObject({
    code: "snapshot_expired",
  });
});
