import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { identify, isRunning } from "../base/process.ts";
import { makeOwn, sharedPlace } from "../base/runtime.ts";
import { resumeAll, stopAll } from "../base/stop.ts";
import type { Session } from "../tools/session.ts";

const socketName = (pid: number): string => `approval-${pid}.sock`;

/**
 * Lets the person answer in a terminal of this machine, from the first question that the client cannot ask. What is
 * printed here ends up in logs that others read: it says how to answer, but contains nothing that would let anyone do
 * so.
 */
export function offerApproval({ gate, log, privatePorts }: Session): void {
  let opening: Promise<void> | undefined;
  gate.onNobody = () => {
    opening ??= open().catch((error: unknown) => log.warn("questions cannot be answered from a terminal", error));
  };
  const open = async (): Promise<void> => {
    const [{ openApprovalSocket }, { openApprovalPage }] = await Promise.all([
      import("../inspector/approval-socket.ts"),
      import("../inspector/approval-page.ts"),
    ]);
    const path = join(sharedPlace(), socketName(process.pid));
    const { questions } = gate;
    let page: ReturnType<typeof openApprovalPage> | undefined;
    const link = async (): Promise<string> => {
      page ??= openApprovalPage({ questions, stop: () => void stopAll(), resume: () => void resumeAll() });
      const opened = await page;
      privatePorts?.add(opened.port, "the page on which a person answers handsight's questions");
      return opened.link();
    };
    await openApprovalSocket({ questions, path, link });
    process.once("exit", () => rmSync(path, { force: true }));
    process.stderr.write('handsight needs permission. To answer, run in a terminal: "handsight approve"\n');
  };
}

export interface AskingServer {
  readonly pid: number;
  readonly path: string;
}

/** This user's servers that had nobody to ask. */
export function findAskingServers(folder = sharedPlace()): readonly AskingServer[] {
  if (!makeOwn(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const pid = Number(/^approval-(\d+)\.sock$/.exec(name)?.[1] ?? 0);
    if (pid === 0) return [];
    const path = join(folder, name);
    if (isRunning(identify(pid))) return [{ pid, path }];
    rmSync(path, { force: true });
    return [];
  });
}
