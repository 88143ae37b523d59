import { spawn } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Answer } from "../tools/call.ts";
import { findAskingServers, type AskingServer } from "./approval.ts";
import { approve, canAsk } from "./approve.ts";
import { exitCodes } from "./exit.ts";
import { openInterrupt } from "./interrupt.ts";
import { parseLine } from "../inspector/approval-socket.ts";
import { printable } from "./text.ts";

export interface ApproveFlags {
  readonly json?: boolean;
  readonly open?: boolean;
}

interface Asked {
  readonly id: string;
  readonly text: string;
  readonly offers: readonly Answer[];
  readonly client?: string;
}

const lookEveryMs = 300;
const linkMs = 5_000;
const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

/** `handsight approve`: the person answers in this terminal, or on a page that it opens. */
export async function runApprove({ json = false, open = false }: ApproveFlags): Promise<number> {
  const servers = findAskingServers();
  if (json) {
    process.stdout.write(`${JSON.stringify({ servers: servers.map(({ pid }) => ({ pid })) })}\n`);
    return exitCodes.ok.code;
  }
  if (open) return openPages(servers);
  if (!canAsk()) {
    say(
      servers.length === 0
        ? nobody
        : `${servers.length} handsight ${servers.length === 1 ? "process" : "processes"} asked. Run "handsight approve" in a terminal.`,
    );
    return exitCodes.ok.code;
  }
  await answerHere();
  return exitCodes.ok.code;
}

const nobody = "No handsight process has asked for permission yet.";

/** Until Ctrl-C: the questions of every server, including those started later, one after the other. */
async function answerHere(): Promise<void> {
  using interrupt = openInterrupt("Ending");
  const { signal } = interrupt;
  const followed = new Map<string, Server>();
  say("Waiting for questions from handsight. Press Ctrl-C to quit.");
  try {
    for (;;) {
      for (const { path } of findAskingServers().filter((server) => !followed.has(server.path))) {
        followed.set(path, new Server(path, () => followed.delete(path)));
      }
      const server = [...followed.values()].find(({ questions }) => questions.length > 0);
      const [question] = server?.questions ?? [];
      if (server && question) await answerOne(server, question, signal);
      else await sleep(lookEveryMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const server of followed.values()) server.close();
  }
}

async function answerOne(server: Server, question: Asked, signal: AbortSignal): Promise<void> {
  const gone = new AbortController();
  const off = server.onChange(() => {
    if (!server.questions.some(({ id }) => id === question.id)) gone.abort();
  });
  try {
    if (question.client !== undefined) say(`${question.client} asks:`);
    const answer = await approve(question, AbortSignal.any([signal, gone.signal]));
    server.answer(question.id, answer);
  } catch (error) {
    if (!gone.signal.aborted || signal.aborted) throw error;
    process.stdout.write("\n");
    say("That question is no longer open.");
  } finally {
    off();
  }
}

/** One server's questions, as it reports them. */
class Server {
  questions: readonly Asked[] = [];
  readonly #socket: Socket;
  readonly #listeners = new Set<() => void>();

  constructor(path: string, onEnd: () => void) {
    this.#socket = createConnection(path);
    this.#socket.on("error", () => {});
    this.#socket.once("close", () => {
      this.#take([]);
      onEnd();
    });
    createInterface({ input: this.#socket }).on("line", (line) => {
      const { questions } = parseLine(line);
      if (Array.isArray(questions)) this.#take(questions as readonly Asked[]);
    });
    this.#say({ watch: true });
  }

  answer(id: string, answer: Answer): void {
    this.#take(this.questions.filter((question) => question.id !== id));
    this.#say({ id, answer });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(questions: readonly Asked[]): void {
    this.questions = questions;
    for (const listener of this.#listeners) listener();
  }

  #say(message: object): void {
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}

async function openPages(servers: readonly AskingServer[]): Promise<number> {
  if (servers.length === 0) say(nobody);
  for (const { path, pid } of servers) {
    const link = await askForLink(path);
    if (link === undefined) {
      say(`handsight (pid ${pid}) does not answer.`);
      continue;
    }
    await openInBrowser(link);
    say(`Opened the approval page of handsight (pid ${pid}) in your browser.`);
  }
  return exitCodes.ok.code;
}

/** Undefined when the server is gone, or does not answer like one. */
function askForLink(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.setTimeout(linkMs, () => socket.destroy());
    socket.on("error", () => {});
    socket.once("close", () => resolve(undefined));
    createInterface({ input: socket }).once("line", (line) => {
      const { url } = parseLine(line);
      resolve(typeof url === "string" ? url : undefined);
      socket.destroy();
    });
    socket.write(`${JSON.stringify({ page: true })}\n`);
  });
}

/** The address lets anyone who has it answer, so it goes only to the browser. */
function openInBrowser(url: string): Promise<void> {
  const program = process.env["BROWSER"]?.split(":")[0] || "xdg-open";
  return new Promise((resolve, reject) => {
    const child = spawn(program, [url], { stdio: "ignore", detached: true });
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
    child.once("error", (cause) =>
      reject(
        new ToolError("not_supported", `"${program}" could not open the approval page.`, {
          hint: 'Answer in the terminal instead: "handsight approve". Or set BROWSER to your browser.',
          cause,
        }),
      ),
    );
  });
}
