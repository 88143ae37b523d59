import { describe, expect, test } from "vitest";
import { PrivatePorts } from "../base/private-ports.ts";
import type { Browsers } from "../platform/browser.ts";
import { toRules } from "../policy/rules.ts";
import { guardBrowsers } from "../surface/guard/browsers.ts";
import { allTools } from "./registry.ts";

const namesFile = /path|file|folder|(^|_)dir(ectory)?($|_)|profile|executable/i;
const namesUrl = /(^|_)url($|_)/i;

/** Fields that look like files, addresses or packages but are not, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  "cdp_launch.executable": "a program to start, as with launch_app; the class manage is what is asked for",
};

describe("every file, address and package that a tool is given is checked against the rules", () => {
  test.each(allTools.map((tool) => [tool.name, tool] as const))("%s", (name, tool) => {
    const fields = Object.keys(tool.input.shape).filter((field) => !(`${name}.${field}` in exceptions));
    expect(fields.filter((field) => namesFile.test(field) && tool.files?.[field] === undefined)).toEqual([]);
    expect(fields.filter((field) => namesUrl.test(field) && !tool.urls?.includes(field))).toEqual([]);
  });
});

test("every exception names a field that exists", () => {
  for (const name of Object.keys(exceptions)) {
    const [tool = "", field = ""] = name.split(".");
    expect(Object.keys(allTools.find((each) => each.name === tool)?.input.shape ?? {})).toContain(field);
  }
});

describe("what a browser is started with", () => {
  const launched: string[][] = [];
  const bare = {
    launch: async ({ args }: { readonly args: readonly string[] }) => {
      launched.push([...args]);
      return { id: "browser:1", product: "x", host: "127.0.0.1", port: 1, pages: [], alreadyRunning: false };
    },
  } as unknown as Browsers;
  const browsers = guardBrowsers(bare, toRules({}, { roots: ["/srv/allowed"] }), new PrivatePorts());
  const launch = (argument: string) => browsers.launch({ args: [argument], timeoutMs: 1 }, {});

  test.each([
    "file:///etc/passwd",
    "/etc/passwd",
    "--app=file:///etc/passwd",
    "--app='file:///etc/passwd'",
    "view-source:file:///etc/passwd",
    "javascript:alert(1)",
    "--user-data-dir=/etc",
    "--user-data-dir=../../etc",
    "--load-extension=/srv/allowed,/etc/x",
    "--user-data-dir=/srv/allowed/../other",
  ])("%s is refused", async (argument) => {
    await expect(launch(argument)).rejects.toMatchObject({ code: "denied" });
    expect(launched).toEqual([]);
  });

  test.each([
    "--app=https://example.com/",
    "--window-size=800,600",
    "--lang=de",
    "--mute-audio",
    "https://example.com/",
  ])("%s is passed on", async (argument) => {
    await launch(argument);
    expect(launched.pop()).toEqual([argument]);
  });
});
