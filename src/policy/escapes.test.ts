import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openFakeSession } from "../../test/support/fake-session.ts";
import { needFile } from "./files.ts";
import { fits } from "./patterns.ts";
import { toRules } from "./rules.ts";
import { needPackage, needUrl } from "./urls.ts";

const base = mkdtempSync(join(tmpdir(), "handsight-escapes-"));
const root = join(base, "root");
const outside = join(base, "outside");
for (const folder of [root, join(root, "sub"), outside, join(base, "root-twin")]) mkdirSync(folder);
writeFileSync(join(outside, "secret.png"), "");
writeFileSync(join(root, "fine.png"), "");
symlinkSync(outside, join(root, "folder-link"));
symlinkSync(join(outside, "secret.png"), join(root, "file-link.png"));
symlinkSync("..", join(root, "up"));
symlinkSync("../..", join(root, "sub", "up2"));
symlinkSync("folder-link", join(root, "link-to-link"));
symlinkSync("/", join(root, "slash"));
symlinkSync("/proc/self/root", join(root, "proc"));
symlinkSync("/proc/self/cwd", join(root, "cwd"));
symlinkSync(join(outside, "new.png"), join(root, "dangling.png"));
symlinkSync("loop-b", join(root, "loop-a"));
symlinkSync("loop-a", join(root, "loop-b"));
afterAll(() => rmSync(base, { recursive: true }));

const climbs = Array.from({ length: 12 }, (_, depth) => `${"../".repeat(depth + 1)}etc/passwd`);
const paths = [
  ...climbs.map((climb) => join(root, "sub/deep/er", "x") + `/../../../../${climb}`),
  "/etc/passwd",
  "/etc/cron.d/handsight",
  "//etc/passwd",
  "/./etc/passwd",
  "/proc/self/environ",
  "/proc/self/mem",
  "/proc/self/fd/1",
  "/dev/sda",
  "/dev/shm/x.png",
  "/sys/power/state",
  "/var/spool/cron/crontabs/someone",
  "/",
  base,
  outside,
  `${root}-twin/a.png`,
  `${root}.png`,
  `${root}/../a.png`,
  `${root}/..`,
  `${root}/../`,
  `${root}/./../outside/secret.png`,
  `${root}/sub/../../outside/secret.png`,
  `${root}/missing/../../outside/secret.png`,
  `${root}//..//outside//secret.png`,
  `${root}/folder-link/secret.png`,
  `${root}/folder-link/new.png`,
  `${root}/folder-link`,
  `${root}/folder-link/../outside/secret.png`,
  `${root}/folder-link/deep/er/new.png`,
  `${root}/link-to-link/secret.png`,
  `${root}/file-link.png`,
  `${root}/dangling.png`,
  `${root}/up/outside/secret.png`,
  `${root}/up/x.png`,
  `${root}/sub/up2/x.png`,
  `${root}/sub/up2/outside/secret.png`,
  `${root}/slash/etc/passwd`,
  `${root}/slash/tmp/../etc/x`,
  `${root}/proc/etc/passwd`,
  `${root}/loop-a/x.png`,
  `${root}/loop-b`,
  `${root}/fine.png/below.png/../../../outside/x.png`,
  `${root}/a.png\0/etc/passwd`,
  `\0${root}/a.png`,
  "~/.bashrc",
  "../../../../../../../../etc/shadow",
  "..",
  ".",
];

describe("a path that leads out is refused:", () => {
  test.each(paths)("%j", async (path) => {
    await expect(needFile(path, "write", [root])).rejects.toMatchObject({
      code: expect.stringMatching(/^(denied|invalid_argument)$/) as string,
    });
  });

  test("those that stay inside are not", async () => {
    for (const path of ["fine.png", "new.png", "sub/../new.png", "sub/deep/new.png", "..png", "...", "up/root/x.png"]) {
      expect(await needFile(join(root, path), "write", [root])).toContain(root);
    }
  });

  test("the refusal names the rule and how to change it", async () => {
    await expect(needFile("/etc/passwd", "read", [root])).rejects.toMatchObject({
      details: { hint: expect.stringContaining("files.read") as string },
    });
  });
});

const urls = {
  allow: ["https://*.example.com", "https://shop.test/public/*", "http://localhost:8080", "about:blank"],
  block: ["https://admin.example.com", "*.example.com/internal/*"],
};
const rules = toRules({ urls }, { roots: [] });
const addresses = [
  "file:///etc/passwd",
  "FILE:///etc/passwd",
  "file://localhost/etc/passwd",
  "file:/etc/passwd",
  "view-source:https://example.com/",
  "chrome://settings",
  "chrome-extension://abc/x.html",
  "devtools://devtools/bundled/inspector.html",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>1</script>",
  "blob:https://example.com/1",
  "filesystem:https://example.com/1",
  "about:config",
  "about:blank#javascript:1",
  "ftp://example.com/",
  "ws://example.com/",
  "http://example.com/",
  "http://www.example.com/",
  "https://example.com.evil.test/",
  "https://evil.test/?https://example.com",
  "https://evil.test/example.com",
  "https://evil.test#.example.com",
  "https://evil.test\\.example.com/",
  "https://evilexample.com/",
  "https://notexample.com/",
  "https://example.com@evil.test/",
  "https://example.com:pw@evil.test/",
  "https://user@example.com/",
  "https://example.com%2eevil.test/",
  "https://example.com%00.evil.test/",
  "https://еxample.com/",
  "https://xn--xample-2of.com/",
  "https://admin.example.com/",
  "https://ADMIN.example.com/",
  "https://admin.example.com./",
  "https://admin.example.com:443/",
  "https://admin%2eexample.com/",
  "https://ａdmin.example.com/",
  "https://www.example.com/internal/keys",
  "https://www.example.com/public/../internal/keys",
  "https://www.example.com/%69nternal/keys",
  "https://www.example.com/internal%2Fkeys",
  "https://www.example.com//internal/keys",
  "https://www.example.com/x/..%2finternal/keys",
  "https://shop.test/",
  "https://shop.test/private/x",
  "https://shop.test/public/../private/x",
  "https://shop.test/public/%2e%2e/private/x",
  "https://shop.test/publicity/x",
  "http://localhost/",
  "http://localhost:8081/",
  "http://localhost:80800/",
  "http://127.0.0.1:8080/",
  "http://[::1]:8080/",
  "http://0x7f000001:8080/",
  "http://2130706433:8080/",
  "http://localhost.evil.test:8080/",
  "//example.com/",
  "example.com",
  "",
  "https://",
  "https:///etc/passwd",
  "\u0000https://evil.test",
];

describe("an address that is not allowed is refused:", () => {
  test.each(addresses)("%j", (address) => {
    expect(() => needUrl(address, rules)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(denied|invalid_argument)$/) as string }),
    );
  });

  test("there are more than a hundred attacks in the two tables", () => {
    expect(addresses.length + paths.length).toBeGreaterThan(100);
  });

  test.each([
    "https://example.com/",
    "https://www.example.com/a?b#c",
    "https://a.b.example.com:443/x",
    "https://shop.test/public/x",
    "http://localhost:8080/any",
    "about:blank",
  ])("%j is allowed", (address) => {
    expect(needUrl(address, rules).href).toBeTruthy();
  });

  test("without rules web pages are allowed, everything else is not", () => {
    const standard = toRules({}, { roots: [] });
    expect(needUrl("https://example.org/x", standard).host).toBe("example.org");
    for (const address of ["file:///etc/passwd", "chrome://settings", "javascript:1", "data:,x"]) {
      expect(() => needUrl(address, standard)).toThrow("urls.allow");
    }
  });
});

test("Android packages are allowed and blocked by name, and must be names", () => {
  const rules = toRules({ packages: { allow: ["com.example.*"], block: ["*.bank"] } }, { roots: [] });
  expect(() => needPackage("com.example.notes", rules)).not.toThrow();
  for (const name of ["com.example.bank", "org.other", "com.example.x;reboot", "com.example.x y", "../com.example.x"]) {
    expect(() => needPackage(name, rules)).toThrow(expect.objectContaining({ code: "denied" }));
  }
});

test("look-alikes cannot evade a pattern, and a long pattern costs no time", () => {
  for (const title of [
    "My Passwords",
    "PASSWORD",
    "pass\u200Bword",
    "ｐａｓｓｗｏｒｄ",
    "Pa\u0301ssword",
    "a\nPassword\nb",
  ]) {
    expect(fits("*Password*", title)).toBe(true);
  }
  expect(fits("*Password*", "Passport")).toBe(false);
  expect(fits("a?c", "abc")).toBe(true);
  expect(fits(`${"*a".repeat(500)}*b`, "a".repeat(5_000))).toBe(false);
});

test("no tool that writes a file or opens a page accepts one of them", async () => {
  const file = join(base, "rules.json");
  writeFileSync(file, JSON.stringify({ files: { write: [root] }, urls }));
  const { outcome, session } = openFakeSession({ windows: [{ id: 1 }] }, { rules: file });
  const before = readdirSync(outside);
  const attacks: [string, Record<string, string>][] = [
    ...paths.flatMap((path): [string, Record<string, string>][] => [
      ["take_screenshot", { file_path: path }],
      ["start_recording", { output_dir: path }],
    ]),
    ...addresses.flatMap((url): [string, Record<string, string>][] => [
      ["cdp_launch", { url }],
      ["cdp_navigate", { url }],
      ["cdp_new_page", { url }],
    ]),
  ];
  const passed: string[] = [];
  for (const [tool, args] of attacks) {
    const result = await outcome(tool, args);
    const code = result.kind === "failed" ? result.envelope.error.code : result.kind;
    if (code !== "denied" && code !== "invalid_argument") passed.push(`${tool} ${JSON.stringify(args)}: ${code}`);
  }
  expect(passed).toEqual([]);
  expect(readdirSync(outside)).toEqual(before);
  await session[Symbol.asyncDispose]();
});
