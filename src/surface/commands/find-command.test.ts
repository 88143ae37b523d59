import { describe, expect, test } from "vitest";
import { ToolError } from "../../base/errors.ts";
import type { AppCommand, CommandSource } from "../../platform/backend.ts";
import { findCommand, fitsQuery } from "./find-command.ts";

const command = (path: string, source: CommandSource = "menu", id = `${source}:${path}`): AppCommand => ({
  id,
  path: path.split(" > "),
  isEnabled: true,
  source,
  isNative: false,
  elements: [],
});

const commands = [
  command("File > Save"),
  command("File > Save As…"),
  command("File > Export > PDF..."),
  command("Edit > Delete"),
  command("Sheet > Delete"),
  command("Edit > Convert > To Uppercase"),
  command("Save", "toolbar"),
  command("Find Next", "toolbar"),
  command("Save", "action", "win.save"),
  command("Zoom In", "action", "win.zoom-in"),
];

const found = (wanted: string, all = commands): string => findCommand(all, wanted, false).id;

describe("a command is found", () => {
  test.each([
    ["its name", "Save As…", "menu:File > Save As…"],
    ["its name in other case and without dots", "save as", "menu:File > Save As…"],
    ["its name with dots it does not have", "Save...", "menu:File > Save"],
    ["its path", "File > Export > PDF", "menu:File > Export > PDF..."],
    ["the end of its path", "export > pdf…", "menu:File > Export > PDF..."],
    ["a path with other arrows", "Sheet→Delete", "menu:Sheet > Delete"],
    ["words of its path", "convert uppercase", "menu:Edit > Convert > To Uppercase"],
    ["its id", "win.save", "win.save"],
    ["the name of an action", "Zoom in", "win.zoom-in"],
    ["the name of a button", "Find next", "toolbar:Find Next"],
  ])("by %s", (_, wanted, id) => {
    expect(found(wanted)).toBe(id);
  });

  test("in a menu rather than in a tool bar or among actions", () => {
    expect(found("Save")).toBe("menu:File > Save");
  });
});

function refusal(wanted: string, all = commands): ToolError {
  try {
    findCommand(all, wanted, true);
  } catch (error) {
    if (error instanceof ToolError) return error;
  }
  throw new Error("it was found");
}

describe("a command is refused", () => {
  test("if several have the name, with their paths", () => {
    const { code, details } = refusal("Delete");
    expect(code).toBe("ambiguous_target");
    expect(details.candidates).toEqual(['"Edit > Delete"', '"Sheet > Delete"']);
  });

  test("with their ids if they share their path, which then name them", () => {
    const twins = [command("Edit > Paste", "menu", "a"), command("Edit > Paste", "menu", "b")];
    expect(refusal("Paste", twins).details.candidates).toEqual(['"a"', '"b"']);
    expect(found("b", twins)).toBe("b");
  });

  test("if one word of a longer name is all that is the same; a renamed command is not another one", () => {
    const { code, details } = refusal("Uppercase");
    expect(code).toBe("not_found");
    expect(details.candidates).toEqual(["Edit > Convert > To Uppercase"]);
  });

  test("if only a part of a word is the same", () => {
    expect(refusal("Sav").code).toBe("not_found");
  });

  test("with a hint at menus that have not been opened", () => {
    expect(refusal("Incognito").details.hint).toContain("open: true");
  });
});

test("a query is found in any part of the path", () => {
  const query = (text: string) => commands.filter((each) => fitsQuery(each, text)).map(({ id }) => id);
  expect(query("file pdf")).toEqual(["menu:File > Export > PDF..."]);
  expect(query("nothing")).toEqual([]);
});
