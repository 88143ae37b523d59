import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Questions } from "../tools/call.ts";
import { readAnswer } from "./approval-page.ts";

export interface ApprovalSocketOptions {
  readonly questions: Questions;
  readonly path: string;
  /** A link to the approval page, which works once. */
  readonly link: () => Promise<string>;
}

const longestLine = 4_000;

/**
 * Where a terminal of this user can answer. A socket in a folder that only they can enter: no file contains a token,
 * and nothing that handsight drives, neither a page nor a window, can connect to it. One JSON value per line, in both
 * directions.
 */
export async function openApprovalSocket({ questions, path, link }: ApprovalSocketOptions): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.unref());
    const say = (message: object) => void socket.write(`${JSON.stringify(message)}\n`);
    const ends: (() => void)[] = [];
    const obey = async (message: Readonly<Record<string, unknown>>): Promise<void> => {
      if (message["watch"] === true) {
        // The terminal's own process records which windows show the question.
        ends.push(questions.watch({ showsPictures: false, pids: [] }));
        const tell = () => say({ questions: questions.pending() });
        ends.push(questions.onChange(tell));
        tell();
      }
      if (message["page"] === true) say({ url: await link() });
      const read = readAnswer(message);
      if (read) say({ id: read.id, counted: questions.answer(read.id, read.answer) === read.answer });
    };
    const lines = createInterface({ input: socket });
    lines.on("line", (line) => {
      if (line.length > longestLine) return void socket.destroy();
      obey(parseLine(line)).catch(() => socket.destroy());
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      for (const end of ends) end();
    });
  });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // Waiting for a terminal must not keep the process alive.
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(path, { force: true });
    },
  };
}

/** The JSON object in a line; empty if it is not one. */
export function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
