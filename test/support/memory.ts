import { readFile } from "node:fs/promises";

/** What a process keeps in memory, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kb = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kb === "") throw new Error(`process ${pid} does not tell its memory`);
  return Math.round(Number(kb) / 1024);
}
