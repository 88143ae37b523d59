import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, ownIdentity, type ProcessIdentity } from "../base/process.ts";
import { makeOwn, runtimeFolders } from "../base/runtime.ts";
import { stopAll } from "../base/stop.ts";
import type { Session } from "../tools/session.ts";

interface Note extends ProcessIdentity {
  readonly url: string;
}

/** Opens the approval page when it is first needed, and notes for this user where it is. */
export function offerApproval({ gate, log }: Session): void {
  let opening: Promise<void> | undefined;
  gate.onNobody = () => {
    opening ??= open().catch((error: unknown) => log.warn("the approval page could not be opened", error));
  };
  const open = async (): Promise<void> => {
    const { openApprovalPage } = await import("../inspector/approval-page.ts");
    const { url } = await openApprovalPage({ questions: gate.questions, stop: () => void stopAll() });
    for (const folder of runtimeFolders().filter(makeOwn)) {
      const file = join(folder, `approval-${process.pid}.json`);
      writeFileSync(file, JSON.stringify({ ...ownIdentity(), url }), { mode: 0o600 });
      process.once("exit", () => rmSync(file, { force: true }));
    }
    // Not through the log: a log file may be read by others than the person at the terminal.
    process.stderr.write(`handsight asks for permission at ${url}\n`);
  };
}

/** The pages of processes that still run, newest note of each. */
export function findApprovalPages(
  folders: readonly string[] = runtimeFolders(),
): readonly { readonly pid: number; readonly url: string }[] {
  const found = new Map<number, string>();
  for (const folder of folders.filter(makeOwn)) {
    for (const name of readdirSync(folder).filter((each) => /^approval-\d+\.json$/.test(each))) {
      const note = read(join(folder, name));
      if (note && isRunning(note)) found.set(note.pid, note.url);
      else rmSync(join(folder, name), { force: true });
    }
  }
  return [...found].map(([pid, url]) => ({ pid, url }));
}

function read(file: string): Note | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Note;
  } catch {
    return undefined;
  }
}
