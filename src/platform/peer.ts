import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { lineageOf } from "../base/process.ts";

/**
 * The processes of the program at the other end of a connection on this machine: the one that holds the socket, and
 * its ancestors that run the same program (a browser has a separate process for its network). Empty if the system
 * does not report them.
 */
export function findPeer(ends: { readonly own: number; readonly peer: number }): readonly number[] {
  const inode = findInode(ends.peer, ends.own);
  if (inode === undefined) return [];
  const holders = processes().filter((pid) => holds(pid, inode));
  return holders.flatMap((pid) => sameProgram(lineageOf(pid)));
}

function sameProgram([first = 0, ...rest]: readonly number[]): readonly number[] {
  const program = programOf(first);
  const end = rest.findIndex((pid) => programOf(pid) !== program);
  return [first, ...(end < 0 ? rest : rest.slice(0, end))];
}

/** proc_pid_net(5): "sl local rem st … inode", addresses as HEX:PORT. */
function findInode(local: number, remote: number): string | undefined {
  const port = (address = ""): number => Number.parseInt(address.split(":")[1] ?? "", 16);
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readLines(table)) {
      const [, from, to, , , , , , , inode] = line.trim().split(/\s+/);
      if (port(from) === local && port(to) === remote) return inode;
    }
  }
  return undefined;
}

/** Whether one of these processes listens on the port. */
export function listensOn(port: number, pids: readonly number[]): boolean {
  const listening = "0A";
  const inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    readLines(table).flatMap((line) => {
      const [, from = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      return state === listening && Number.parseInt(from.split(":")[1] ?? "", 16) === port ? [inode] : [];
    }),
  );
  return inodes.some((inode) => pids.some((pid) => holds(pid, inode)));
}

function holds(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => linkOf(`${folder}/${name}`) === `socket:[${inode}]`);
  } catch {
    // It has ended, or belongs to somebody else.
    return false;
  }
}

const processes = (): readonly number[] => {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
};

const programOf = (pid: number): string | undefined => linkOf(`/proc/${pid}/exe`);

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(1);
  } catch {
    return [];
  }
}
