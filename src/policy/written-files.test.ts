import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WrittenFiles } from "./written-files.ts";

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), "handsight-written-")));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const bytes = (text: string) => Buffer.from(text);

test("a session replaces what it wrote itself and nothing else", async () => {
  const at = await folder();
  const [own, foreign] = [join(at, "own.png"), join(at, "foreign.png")];
  await writeFile(foreign, "precious");
  const files = new WrittenFiles();
  await files.write(own, bytes("one"));
  await files.write(own, bytes("2"));
  expect(await readFile(own, "utf8")).toBe("2");
  await expect(files.write(foreign, bytes("x"))).rejects.toMatchObject({ code: "denied" });
  expect(await readFile(foreign, "utf8")).toBe("precious");
  await expect(new WrittenFiles().write(own, bytes("x"))).rejects.toMatchObject({ code: "denied" });
});

test("what replaced its file is not its own", async () => {
  const file = join(await folder(), "own.png");
  const files = new WrittenFiles();
  await files.write(file, bytes("one"));
  await rm(file);
  await writeFile(file, "precious");
  await expect(files.write(file, bytes("x"))).rejects.toMatchObject({ code: "denied" });
  expect(await readFile(file, "utf8")).toBe("precious");
});

test("below the folders of the rule every file may be replaced", async () => {
  const [at, elsewhere] = [await folder(), await folder()];
  const files = new WrittenFiles([at]);
  for (const root of [at, elsewhere]) await writeFile(join(root, "a.png"), "precious");
  await files.write(join(at, "a.png"), bytes("new"));
  expect(await readFile(join(at, "a.png"), "utf8")).toBe("new");
  await expect(files.write(join(elsewhere, "a.png"), bytes("new"))).rejects.toMatchObject({ code: "denied" });
});
