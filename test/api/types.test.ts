import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { expect, test } from "vitest";
import { exportedDeclarations } from "../../scripts/api-docs.ts";
import { open, type Handsight, type ToolInput, type ToolName, type ToolOutput } from "../../src/index.ts";
import { checkout } from "../support/checkout.ts";

const dist = join(checkout, "dist");

test("what a call takes and answers is typed by its tool", () => {
  const click: ToolInput<"click"> = { selector: "Button:Save", surface: "page:1", clicks: 2 };
  // @ts-expect-error a wrong field
  const wrongField: ToolInput<"click"> = { selektor: "Button:Save" };
  // @ts-expect-error a wrong value
  const wrongValue: ToolInput<"click"> = { selector: "Button:Save", button: "upper" };
  // @ts-expect-error this tool is only about the desktop
  const wrongSurface: ToolInput<"get_clipboard"> = { surface: "page:1" };
  // @ts-expect-error no such tool
  const wrongTool: ToolName = "clik";
  const effectOf = (output: ToolOutput<"click">): "confirmed" | "no_change" | "unverifiable" => output.effect;
  // @ts-expect-error windows have no such field
  const sizeOf = (output: ToolOutput<"list_windows">) => output.windows[0]?.size;
  const calls = async (hs: Handsight) => {
    const { windows } = await hs.call("list_windows", {});
    // @ts-expect-error a wrong field
    await hs.call("click", { selector: "Button:Save", twice: true });
    // @ts-expect-error a wrong option
    await hs.desktop.getByRole("button").click({ effect: "maybe" });
    return windows.map(({ title }) => title);
  };
  expect([click, wrongField, wrongValue, wrongSurface, wrongTool, effectOf, sizeOf, calls, open]).toHaveLength(9);
});

/** The declaration files that a program sees through the package's entry. */
function reachable(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const follow = (file: string): void => {
    if (found.has(file)) return;
    const text = readFileSync(file, "utf8");
    found.set(file, text);
    for (const [, path = ""] of text.matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g)) {
      if (path !== "") follow(join(dirname(file), path.replace(/\.(ts|js)$/, ".d.ts")));
    }
  };
  follow(join(dist, "index.d.ts"));
  return found;
}

test("the declarations of the package nowhere say any", () => {
  const files = reachable();
  expect(files.size).toBeGreaterThan(30);
  const found: string[] = [];
  for (const [file, text] of files) {
    new Visitor({ TSAnyKeyword: () => void found.push(relative(dist, file)) }).visit(parseSync(file, text).program);
  }
  expect(found).toEqual([]);
});

test("whatever type of ours an exported declaration of the library names is exported, too", () => {
  const all = exportedDeclarations();
  const exported = new Set(all.map(({ name }) => name));
  const ours = new Set(
    [...reachable().values()].flatMap((text) =>
      [...text.matchAll(/^export (?:declare )?(?:abstract )?(?:class|interface|type|const|function) (\w+)/gm)].map(
        ([, name = ""]) => name,
      ),
    ),
  );
  const missing = all
    .filter(({ file }) => /^(api|open)/.test(file))
    .flatMap(({ name, text }) => {
      const used: string[] = [];
      new Visitor({
        TSTypeReference: ({ typeName }) => void (typeName.type === "Identifier" && used.push(typeName.name)),
      }).visit(parseSync("declared.d.ts", text).program);
      return used.filter((type) => ours.has(type) && !exported.has(type)).map((type) => `${name}: ${type}`);
    });
  expect(missing).toEqual([]);
});
