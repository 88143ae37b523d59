import { readFile } from "node:fs/promises";

/** The resident memory of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, kb = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kb === "") throw new Error(`process ${pid} does not tell its memory`);
  return Math.round(Number(kb) / 1024);
}
