import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openFakeSession } from "../support/fake-session.ts";

const folder = mkdtempSync(join(tmpdir(), "handsight-rules-"));
const file = join(folder, "letter.txt");
writeFileSync(file, "");

function open(...rules: readonly object[]) {
  const name = join(folder, "policy.json");
  writeFileSync(name, JSON.stringify({ rules }));
  const windows = [{ id: 1, title: "Payroll", appName: "payroll", processName: "payroll", pid: 11 }];
  return openFakeSession({ windows }, { rules: name, tools: "all" });
}

test.each(["wine", "python3", "xdg-open", "java", "/lib64/ld-linux-x86-64.so.2"])(
  "a file given to %s is run, not opened",
  async (app_name) => {
    const { call, backend } = open({ access: "execute", verdict: "deny" });
    await expect(call("launch_app", { app_name, args: [file] })).rejects.toMatchObject({ code: "denied" });
    expect(backend.desktop.events).toEqual([]);
    await call("launch_app", { app_name: "editor", args: [file], timeout_ms: 0 });
  },
);

test("an app that runs is brought to the front only where its window may be used", async () => {
  const { call, backend } = open({ window: "Payroll", verdict: "deny" });
  for (const app_name of ["payroll", "/usr/bin/payroll"]) {
    await expect(call("launch_app", { app_name })).rejects.toMatchObject({ code: "denied" });
    await expect(call("quit_app", { app_name })).rejects.toMatchObject({ code: "denied" });
  }
  expect(backend.desktop.events).toEqual([]);
});

test("arguments of more words than can be looked up are refused where rules are about apps", async () => {
  const args = Array.from({ length: 100 }, (_, at) => `a${at} b${at} c${at} d${at}`);
  const { call } = open({ app: "xterm", verdict: "deny" });
  await expect(call("launch_app", { app_name: "env", args })).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining("too many") as string,
  });
});
