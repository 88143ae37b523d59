import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectStdio } from "../mcp-client.ts";
import type { Group } from "../group.ts";
import { figure, now, race, type Row, type Runner } from "../measure.ts";
import { root } from "../paths.ts";
import type { Table } from "../report.ts";

const runtime = "sherpa-onnx-";

/** What reading text costs those who never read any: nothing but disk space. */
export const install: Group = async ({ rounds, tell }) => {
  tell("start-up and memory with and without what reads text");
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-install-"));
  try {
    await copyWithout(folder);
    const homes = [
      { name: "with", home: root },
      { name: "without", home: folder },
    ];
    const starts = await race(
      homes.map(({ name, home }): Runner => ({ name, kind: "ours", run: () => start(home) })),
      rounds,
    );
    const memory: Row[] = [];
    for (const { name, home } of homes) memory.push(figure(name, await idleMegabytes(home), "MB"));
    const tables: Table[] = [
      { title: "Start to the answer of tools/list, with and without runtime and weights", rows: starts, verdicts: [] },
      { title: "Idle memory after tools/list, with and without runtime and weights (RSS)", rows: memory, verdicts: [] },
      { title: "Size on disk", rows: await sizes(), verdicts: [] },
    ];
    return tables;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** An installation as it would be without the two. */
async function copyWithout(folder: string): Promise<void> {
  await cp(join(root, "package.json"), join(folder, "package.json"));
  await cp(join(root, "dist"), join(folder, "dist"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  for (const name of await readdir(join(root, "node_modules"))) {
    if (!name.startsWith(runtime)) await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
}

const open = (home: string) =>
  connectStdio(join(home, "dist", "main.js"), ["mcp", "--policy", "allow", "--journal", "off"], "2025-11-25");

async function start(home: string): Promise<{ readonly ms: number }> {
  const startedAt = now();
  await using connected = await open(home);
  await connected.client.listTools();
  return { ms: now() - startedAt };
}

async function idleMegabytes(home: string): Promise<number> {
  await using connected = await open(home);
  await connected.client.listTools();
  const status = await readFile(`/proc/${connected.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

async function sizes(): Promise<Row[]> {
  const megabytes = async (path: string) => (existsSync(path) ? (await bytesOf(path)) / 1e6 : 0);
  const carrier = (await readdir(join(root, "node_modules"))).find((name) => name.startsWith(runtime)) ?? runtime;
  return [
    figure("the package without weights", await megabytes(join(root, "dist")), "MB"),
    figure("the weights", await megabytes(join(root, "assets", "ocr")), "MB"),
    figure(carrier, await megabytes(join(root, "node_modules", carrier)), "MB", "optional"),
  ];
}

async function bytesOf(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const all = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return all.reduce((sum, size) => sum + size, 0);
}
