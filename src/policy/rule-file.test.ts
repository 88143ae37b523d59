import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadRules, parseRuleFile } from "./rule-file.ts";
import { toRules } from "./rules.ts";

test("without a file the documented defaults hold [S1-92…S1-98]", () => {
  expect(toRules({}, { roots: [] })).toMatchObject({
    mode: "ask",
    enabled: false,
    requireApprovalForCapture: false,
    requireApprovalForInput: true,
    allowedWindowPatterns: ["*"],
    blockedWindowPatterns: ["*Password*", "*Banking*"],
    maxCapturesPerMinute: 60,
    logAllActions: true,
  });
});

test("in mode allow a default rate limits nobody, an explicit one does", () => {
  expect(toRules({ mode: "allow" }, { roots: [] }).maxCapturesPerMinute).toBeUndefined();
  expect(toRules({ mode: "allow", maxCapturesPerMinute: 5 }, { roots: [] }).maxCapturesPerMinute).toBe(5);
});

test("keys are read in the spelling with a capital too", () => {
  expect(parseRuleFile('{"BlockedWindowPatterns": ["*Bank*"], "Enabled": true}', "p")).toEqual({
    blockedWindowPatterns: ["*Bank*"],
    enabled: true,
  });
});

test("rules are also read from the settings file of an application, under their own key", () => {
  const inside = '"Enabled": true, "RequireApprovalForInput": false, "BlockedWindowPatterns": ["*Bank*"]';
  const rules = { enabled: true, requireApprovalForInput: false, blockedWindowPatterns: ["*Bank*"] };
  expect(parseRuleFile(`{"UIAutomationConfig": {${inside}}}`, "p")).toEqual(rules);
  expect(parseRuleFile(`{"Logging": {}, "UIAutomationConfig": {${inside}}}`, "p")).toEqual(rules);
  expect(() => parseRuleFile('{"UIAutomationConfig": {\n"Enabled": 1}}', "p")).toThrow("p:2: enabled:");
});

test.each([
  [
    "a rule beside the rules of an application",
    '{"mode": "ask",\n"UIAutomationConfig": {}}',
    "policy.json:2: unknown key",
  ],
  ["a syntax error", '{\n  "mode": "ask",\n  "enabled": tru\n}', "policy.json:3: not JSON"],
  ["an unknown key", '{\n  "mode": "ask",\n\n  "blockedWindows": []\n}', 'policy.json:4: unknown key "blockedWindows"'],
  ["a wrong value", '{\n  "enabled":\n    "yes"\n}', "policy.json:2: enabled:"],
  [
    "a wrong value deep inside",
    '{"rules": [\n  {"tool": "a", "verdict": "allow"},\n  {"tool": "b, [{",\n   "verdict": "maybe"}\n]}',
    "policy.json:4: rules.1.verdict:",
  ],
  ["a list in place of the object", "[]", "policy.json:1: the file:"],
  ["a stop on a key one types with", '{"stopKeys": "a"}', "policy.json:1: stopKeys:"],
])("%s is refused with its line", (_what, text, message) => {
  expect(() => parseRuleFile(text, "policy.json")).toThrow(message);
});

test("a named file must exist, the standard one need not; --policy overrides its mode", () => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-rules-"));
  try {
    const file = join(folder, "policy.json");
    expect(loadRules({ file, isNamed: false, roots: [] }).mode).toBe("ask");
    expect(() => loadRules({ file, isNamed: true, roots: [] })).toThrow(file);
    writeFileSync(file, '{"mode": "observe-only", "files": {"write": ["out"]}}');
    expect(loadRules({ file, isNamed: true, roots: ["/r"] })).toMatchObject({
      mode: "observe-only",
      files: { read: ["/r"], write: [join(folder, "out")] },
    });
    expect(loadRules({ file, isNamed: true, mode: "allow", roots: [] }).mode).toBe("allow");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
