import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allTools } from "../../src/tools/registry.ts";
import { describeTool } from "../../src/tools/describe.ts";

interface Field {
  readonly enum?: readonly unknown[];
  readonly default?: string | number | boolean | readonly string[];
  readonly type?: string;
}

function contract(name: string) {
  const tool = allTools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  const { inputSchema, outputSchema, description } = describeTool(tool);
  return {
    description,
    fields: inputSchema["properties"] as Readonly<Record<string, Field>>,
    required: (inputSchema["required"] ?? []) as readonly string[],
    results: Object.keys(outputSchema["properties"] as object),
  };
}

/** `name`, `name!` if it is required, `name=value` with its default. */
function expectFields(tool: string, ...wanted: string[]): void {
  const { fields, required } = contract(tool);
  const told = Object.entries(fields).flatMap(([name, field]) => {
    const mark = required.includes(name) ? "!" : "";
    return [`${name}${mark}`, ...(field.default === undefined ? [] : [`${name}=${String(field.default)}`])];
  });
  expect(told).toEqual(expect.arrayContaining(wanted));
}

describe("a tool takes and gives what was agreed", () => {
  test("focus_window [S0-23, S0-24]", () => expectFields("focus_window", "window_id"));

  test("take_window_screenshot [S0-28, S0-29, S0-31…S0-34]", () => {
    expectFields("take_window_screenshot", "window_id!");
    expect(contract("take_window_screenshot").results).toEqual(
      expect.arrayContaining(["window_id", "bounds", "image_width", "image_height", "scale"]),
    );
  });

  test("click [S0-41…S0-43, S2-43, S2-49]", () => {
    expectFields("click", "window_id", "x", "y", "button=left", "clicks", "click_count", "delay_ms=50");
    expect(contract("click").fields["button"]?.enum).toEqual(expect.arrayContaining(["left", "right", "middle"]));
  });

  test("take_ax_snapshot", () => expectFields("take_ax_snapshot", "app_name"));

  test("take_screenshot [S2-14…S2-18, S2-24, S2-27, S3-37, S3-38]", () => {
    expectFields("take_screenshot", "mode=window", "app_name", "window_id", "window_title", "include_cursor=false");
    expectFields("take_screenshot", "x", "y", "width", "height");
    const { fields, results } = contract("take_screenshot");
    expect(fields["mode"]?.enum).toEqual(expect.arrayContaining(["screen", "window", "region"]));
    expect(results).toEqual(
      expect.arrayContaining([
        "screenshot_id",
        "screenshot_scale",
        "screenshot_window_id",
        "screenshot_pixel_width",
        "screenshot_pixel_height",
      ]),
    );
  });

  test("find_text [S2-28]", () => expectFields("find_text", "text!", "app_name", "display_id"));

  test("element_at_point [S2-37]", () => expectFields("element_at_point", "x!", "y!", "app_name"));

  test("type_text [S2-51]", () => expectFields("type_text", "text!"));

  test("scroll at a place [S2-69]", () => expectFields("scroll", "x", "y", "delta_x=0", "delta_y=0"));

  test("launch_app [S2-75]", () => expectFields("launch_app", "app_name!", "args="));

  test("find_image in two modes", () => {
    expectFields("find_image", "mode=fast");
    expect(contract("find_image").fields["mode"]?.enum).toEqual(["fast", "accurate"]);
  });
});

describe("the guide for agents", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/agents.md"), "utf8");
  const flat = guide.replaceAll(/\s+/g, " ");

  test("states the role: actions are permanent, look before and after [S2-2]", () => {
    expect(flat).toMatch(/Actions are permanent\. Look before every action and look again after it/);
  });

  test("has the loop observe, locate, act, verify [S2-3]", () => {
    expect([...guide.matchAll(/^\d\. ([A-Z]+) —/gm)].map(([, word]) => word)).toEqual([
      "OBSERVE",
      "LOCATE",
      "ACT",
      "VERIFY",
    ]);
  });

  test("says when to take a snapshot, and a fresh one after a page has changed [S2-13, S2-103]", () => {
    expect(flat).toMatch(/snapshot right before you act on uids; each branch and each retry starts with a fresh one/);
    expect(flat).toMatch(/After a page was navigated or has changed, take a fresh snapshot/);
  });

  test("says which roles of a large snapshot matter, and which only structure it [S2-120]", () => {
    expect(flat).toMatch(/500 elements or more.*button, link, textbox.*matter.*group, list.*structure/);
  });

  test("warns that text goes to the focus: click the field first [S2-52]", () => {
    expect(flat).toMatch(/`type_text` goes where the focus is\. Click the field first\./);
  });

  test("the browser guide says which switches a browser needs for a port [S2-97]", () => {
    const browsers = readFileSync(join(import.meta.dirname, "../../docs/guides/browser.md"), "utf8");
    expect(browsers).toMatch(/Chrome 136 and later.*--remote-debugging-port=9222 --user-data-dir=.*\*\*both\*\*/);
    expect(browsers).toMatch(/Electron apps \| `--remote-debugging-port=9222` —/);
  });

  test("says what to do where an app keeps its tree private [S2-42]", () => {
    expect(flat).toMatch(/Electron .*one container.*screenshot with its OCR lines/);
  });

  test("tells pressing from selecting, and what each refusal means [S2-68]", () => {
    const codes = ["snapshot_expired", "uid_not_found", "not_dispatchable", "no_row_ancestor", "no_outline_container"];
    for (const code of codes) expect(guide).toContain(`\`${code}\``);
    expect(flat).toMatch(/Rows of lists.*refuse a press.*25205.*ax_select/);
  });

  test("tells the two ways to a point and when to use which [S2-140]", () => {
    expect(flat).toMatch(/Two ways to a point: absolute screen units.*or pixels you judge by eye/);
  });

  test("is short, has search words, platforms, gotchas, examples and names only tools that exist [S2-161]", () => {
    expect(guide.length / 4).toBeLessThan(2_600);
    for (const part of ["**About.**", "**Search words.**", "## Gotchas", "## Platforms", "docs/tools.md"])
      expect(guide).toContain(part);
    const examples = guide.split("## Worked examples")[1]?.split("\n## ")[0] ?? "";
    for (const family of ["Desktop", "Pixels", "Page", "Android"]) expect(examples).toContain(`- ${family}: `);
    const names = new Set(allTools.map(({ name }) => name));
    const called = [...guide.matchAll(/`([a-z]+(?:_[a-z]+)+)(?: \{|`)/g)].map(([, name]) => name ?? "");
    const words = new Set(["snapshot_expired", "uid_not_found", "not_dispatchable", "no_row_ancestor"]);
    for (const field of allTools.flatMap((tool) => [
      ...Object.keys(tool.input.shape),
      ...Object.keys(tool.output.shape),
    ])) {
      words.add(field);
    }
    const codes = /^(?:no_outline_container|no_change|stale_frame|app_already_running|ambiguous_target|stable_id)$/;
    expect(called.filter((name) => !names.has(name) && !words.has(name) && !codes.test(name))).toEqual([]);
  });
});
