// oxlint-disable unicorn/prefer-add-event-listener -- the objects of the SDK have callbacks, not events
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type McpRequestContext,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import type { Log } from "../base/log.ts";
import type { ListedTool } from "../tools/listing.ts";
import type { Session } from "../tools/session.ts";
import { version } from "../base/version.ts";
import type { Calls as AllCalls } from "./calls.ts";
import { losesContent } from "./client.ts";
import { instructionsFor } from "./instructions.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Permission } from "./permission.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { journalUri, parseUri, stepUri, watchUri } from "./uri.ts";

/** What a transport serves: a new server for each connection or request, all sharing one session. */
export interface Serving {
  create(context: McpRequestContext): Server;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
  /** For a transport that manages the subscriptions itself. */
  onEvent(listener: (event: ServerEvent) => void): () => void;
}

const mostSubscribed = 1_000;

/** Nothing that is listed changes while the process runs. */
const unchanging = { ttlMs: 3_600_000, cacheScope: "private" } as const;

/** Serves a session that is open. */
export const openServing = (session: Session, limits?: Limits): Serving =>
  openLateServing({ instructions: instructionsFor(session), log: session.log, open: async () => session, limits });

/** A session that is opened when a request needs it. */
export interface LateSession {
  readonly instructions: string;
  /** What `tools/list` answers, if it is known without the session. */
  readonly tools?: readonly ListedTool[] | undefined;
  /** Always the same one. */
  readonly open: () => Promise<Session>;
  readonly log: Log;
  readonly limits?: Limits | undefined;
}

/**
 * Serves a session that need not be open yet: the protocol needs little, and a session loads everything. It is opened once
 * the tools were listed, because a call will follow.
 */
export function openLateServing({ instructions, tools, open, log, limits: given }: LateSession): Serving {
  const permission = new Permission();
  const listeners = new Set<(uri: string) => void>();
  let calls: AllCalls | undefined;
  const late = lazily(async () => {
    const session = await open();
    const { Calls, complete, listResources, listTools, readResource, resourceTemplates } =
      await import("./requests.ts");
    session.journal.onAppend(({ step }) => {
      for (const listen of listeners) for (const uri of [journalUri, stepUri(step)]) listen(uri);
    });
    session.watches.onUpdate((id) => {
      for (const listen of listeners) listen(watchUri(id));
    });
    const limits = given ?? limitsOf(session);
    calls = new Calls(session, limits, permission);
    return { session, limits, calls, complete, listResources, listTools, readResource, resourceTemplates };
  });
  const listed = lazily(async () => {
    if (tools) return tools;
    const { session, listTools } = await late();
    return listTools(session.tools, session.showing ?? (() => "whole"));
  });
  const onUpdate = (listener: (uri: string) => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  const create = (context: McpRequestContext): Server => {
    const server = new Server(
      { name: "handsight", title: "handsight", version },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        instructions,
        requestState: { verify: (state, requestContext) => permission.verify(state, requestContext) },
        cacheHints: {
          "tools/list": unchanging,
          "prompts/list": unchanging,
          "resources/templates/list": unchanging,
          "server/discover": unchanging,
        },
      },
    );
    server.setRequestHandler("tools/list", async () => {
      const all = await listed();
      // Once the answer is on its way; whatever fails is reported to the call that needs it.
      setImmediate(() => void late().catch(() => {}));
      // A client that was promised structured content refuses a result without it.
      return { tools: losesContent(server) ? all.map(withoutStructure) : [...all] };
    });
    const connection = isOneRequest(context) ? undefined : new AbortController();
    server.setRequestHandler("tools/call", async (request, requestContext) =>
      (await late()).calls.call(server, request, requestContext, connection?.signal),
    );
    server.setRequestHandler("resources/list", async () => {
      const { session, listResources } = await late();
      return { resources: listResources(session) };
    });
    server.setRequestHandler("resources/templates/list", async () => ({
      resourceTemplates: (await late()).resourceTemplates,
    }));
    server.setRequestHandler("resources/read", async ({ params }) => {
      const { session, limits, readResource } = await late();
      return readResource(session, params.uri, limits);
    });
    server.setRequestHandler("prompts/list", () => ({ prompts: listPrompts() }));
    server.setRequestHandler("prompts/get", ({ params }) => getPrompt(params.name, params.arguments));
    server.setRequestHandler("completion/complete", async ({ params }) => {
      const { session, complete } = await late();
      return complete(session, params);
    });
    const unfollow = followUpdates(server, context, onUpdate);
    server.onclose = () => {
      unfollow();
      connection?.abort();
    };
    server.onerror = (error) => log.debug("mcp", error);
    return server;
  };

  return {
    create,
    idle: async () => calls?.idle(),
    onEvent: (listener) => onUpdate((uri) => listener({ kind: "resource_updated", uri })),
  };
}

/** A picture as large as the configuration allows is also sent inline, unless it does not fit into a message. */
function limitsOf({ limits: { maxImageBytes } }: Session): Limits {
  return { ...defaultLimits, maxInlineBytes: Math.max(defaultLimits.maxInlineBytes, maxImageBytes) };
}

/**
 * 2025: the server keeps its client's subscriptions. 2026 over stdio: it announces everything and the transport
 * picks. 2026 over HTTP: it exists for one request only, and the transport listens to `onEvent` instead.
 */
function followUpdates(
  server: Server,
  context: McpRequestContext,
  onUpdate: (listener: (uri: string) => void) => () => void,
): () => void {
  if (isOneRequest(context)) return () => {};
  const { era } = context;
  const subscribed = new Set<string>();
  if (era === "legacy") {
    server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      if (!parseUri(uri)) throw new ResourceNotFoundError(uri);
      if (subscribed.size >= mostSubscribed) {
        throw new ProtocolError(
          ProtocolErrorCode.InvalidRequest,
          `No more than ${mostSubscribed} can be subscribed to.`,
        );
      }
      subscribed.add(uri);
      return {};
    });
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      subscribed.delete(uri);
      return {};
    });
  }
  return onUpdate((uri) => {
    if (era === "legacy" && !subscribed.has(uri)) return;
    server.sendResourceUpdated({ uri }).catch((error: unknown) => server.onerror?.(error as Error));
  });
}

/** 2026 over HTTP: it is unknown when the client is gone. */
const isOneRequest = ({ era, requestInfo }: McpRequestContext): boolean =>
  era === "modern" && requestInfo !== undefined;

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function withoutStructure(tool: ListedTool): ListedTool {
  const { outputSchema: _, ...rest } = tool;
  return rest;
}
