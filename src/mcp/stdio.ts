// oxlint-disable unicorn/prefer-add-event-listener -- the objects of the SDK have callbacks, not events
import { Writable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { serveStdio as serveTransport, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Log } from "../base/log.ts";
import type { Session } from "../tools/session.ts";
import { shutDown, untilSignal } from "./lifetime.ts";
import { maxLineBytes } from "./limits.ts";
import { openLateServing, openServing, type LateSession, type Serving } from "./server.ts";
import { StdioLines, type DroppedLine } from "./stdio-lines.ts";

export interface StdioOptions {
  readonly serving?: Serving;
}

/**
 * Serves one client over stdin and stdout. Resolves within a second after stdin closes or a signal arrives, with the
 * session disposed; then the caller ends the process, because a frozen app or display may still keep a handle open.
 */
export function serveStdio(session: Session, options: StdioOptions = {}): Promise<void> {
  compileAtOnce();
  return serve(session, options.serving ?? openServing(session));
}

/** The same for a session that is opened when a request needs it. */
export function serveStdioLate(late: LateSession): Promise<void> {
  let opened: Promise<Session> | undefined;
  const open = (): Promise<Session> =>
    (opened ??= late.open().then((session) => {
      compileAtOnce();
      return session;
    }));
  const session = {
    log: late.log,
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
  return serve(session, openLateServing({ ...late, open }));
}

/**
 * An agent makes a few dozen calls, too few for V8 to compile their code: all of it would be interpreted. Set only once
 * everything is loaded, because it would slow down loading.
 */
const compileAtOnce = (): void => setFlagsFromString("--always-sparkplug");

async function serve(session: AsyncDisposable & { readonly log: Log }, serving: Serving): Promise<void> {
  const lines = new StdioLines(maxLineBytes, (dropped) => refuse(dropped));
  const transport = new StdioServerTransport(lines, claimStdout(), { maxBufferSize: maxLineBytes + 1 });
  const refuse = ({ id, bytes }: DroppedLine): void => {
    const message = `The message is ${bytes} bytes; the limit is ${maxLineBytes}.`;
    session.log.warn(`a message of ${bytes} bytes was not read`);
    if (id === undefined) return;
    const error = { code: ProtocolErrorCode.InvalidRequest, message };
    transport.send({ jsonrpc: "2.0", id, error }).catch((cause: unknown) => session.log.debug("stdio", cause));
  };
  process.stdin.on("error", (error) => session.log.debug("stdin", error)).pipe(lines);
  const handle = serveTransport((context) => serving.create(context), {
    transport,
    onerror: (error) => session.log.debug("stdio", error),
  });
  const reason = await Promise.race([untilClosed(transport), untilSignal()]);
  session.log.debug(`ending: ${reason}`);
  await shutDown(session, serving, () => handle.close());
}

function untilClosed(transport: StdioServerTransport): Promise<string> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve("the connection was closed");
    };
  });
}

/**
 * Returns the real stdout, and redirects everything else that writes there (console.log in a library) to stderr: one
 * stray line would break the protocol.
 */
function claimStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const wire = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, encoding, done) => {
      if (typeof chunk === "string") write(chunk, encoding, done);
      else write(chunk, done);
    },
  });
  // When the client is gone, the `write` callback gets the error; without a listener it would also be thrown.
  stdout.on("error", () => {});
  stdout.write = stderr.write.bind(stderr);
  return wire;
}
