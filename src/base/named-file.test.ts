import { execFileSync } from "node:child_process";
import { link, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeFolders, needReadable, readNamed, replaceFile, writeNewFile } from "./named-file.ts";
import { readOwnFile, writeOwnFile } from "./own-file.ts";

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), "handsight-named-")));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

function makePipe(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

async function makeSocket(path: string): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
}

const bytes = Buffer.from("hello");
const always = () => true;

test("anything but an ordinary file is refused at once, for reading and for writing", async () => {
  const at = await folder();
  const paths = [makePipe(join(at, "pipe")), await makeSocket(join(at, "socket")), at, "/dev/zero", "/dev/tty"];
  for (const path of paths) {
    const refused = { code: "invalid_argument" };
    await expect(readNamed(path, { maxBytes: 10 }), path).rejects.toMatchObject(refused);
    await expect(needReadable(path), path).rejects.toMatchObject(refused);
    await expect(replaceFile(path, bytes, always), path).rejects.toMatchObject(refused);
    expect(await writeNewFile(path, bytes), path).toBeUndefined();
  }
});

test("a file is read up to the limit, even one that claims to be empty and is not", async () => {
  const at = await folder();
  await writeFile(join(at, "a"), bytes);
  expect(await readNamed(join(at, "a"), { maxBytes: 5 })).toEqual(bytes);
  await expect(readNamed(join(at, "a"), { maxBytes: 4 })).rejects.toMatchObject({ code: "invalid_argument" });
  const maps = `/proc/${process.pid}/maps`;
  expect((await stat(maps)).size).toBe(0);
  await expect(readNamed(maps, { maxBytes: 100 })).rejects.toMatchObject({ code: "invalid_argument" });
});

test("a link is not followed, wherever in the path it is", async () => {
  const at = await folder();
  await writeFile(join(at, "a"), bytes);
  await symlink(join(at, "a"), join(at, "link"));
  await symlink(at, join(at, "way"));
  for (const path of [join(at, "link"), join(at, "way", "a")]) {
    await expect(readNamed(path, { maxBytes: 10 })).rejects.toMatchObject({ code: "denied" });
    await expect(replaceFile(path, bytes, always)).rejects.toMatchObject({ code: "denied" });
  }
  await expect(writeNewFile(join(at, "way", "b"), bytes)).rejects.toMatchObject({ code: "denied" });
});

test("a file is replaced only if that is permitted, and never one with several names", async () => {
  const at = await folder();
  const file = join(at, "a");
  const identity = await writeNewFile(file, bytes);
  expect(identity).toBeDefined();
  expect(await writeNewFile(file, bytes)).toBeUndefined();
  expect(await replaceFile(file, Buffer.from("bye"), () => false)).toBeUndefined();
  expect(await readFile(file, "utf8")).toBe("hello");
  expect(await replaceFile(file, Buffer.from("bye"), (found) => found === identity)).toBe(identity);
  expect(await readFile(file, "utf8")).toBe("bye");
  await link(file, join(at, "b"));
  expect(await replaceFile(file, bytes, always)).toBeUndefined();
  expect(await readFile(file, "utf8")).toBe("bye");
});

test("the person's own files: links work, a pipe without a writer is empty, and one without a reader an error", async () => {
  const at = await folder();
  const pipe = makePipe(join(at, "pipe"));
  expect(readOwnFile(pipe)).toBe("");
  expect(() => writeOwnFile(pipe, bytes)).toThrow("ENXIO");
  expect(() => writeOwnFile("/dev/full", bytes)).toThrow("not a file");
  expect(() => readOwnFile("/dev/zero")).toThrow("not a file");
  await writeFile(join(at, "a"), "longer than before");
  await symlink(join(at, "a"), join(at, "link"));
  writeOwnFile(join(at, "link"), bytes);
  expect(readOwnFile(join(at, "link"))).toBe("hello");
});

test("folders are created one by one, and if that is impossible it fails instead of trying forever", async () => {
  const at = await folder();
  makeFolders(join(at, "a/b/c"));
  makeFolders(join(at, "a/b/c"));
  expect((await stat(join(at, "a/b/c"))).isDirectory()).toBe(true);
  expect(() => makeFolders("/proc/nowhere/at/all")).toThrow("ENOENT");
  await writeFile(join(at, "file"), "");
  expect(() => makeFolders(join(at, "file/b"))).toThrow("ENOTDIR");
});
