// oxlint-disable unicorn/prefer-add-event-listener -- the objects of the SDK have callbacks, not events
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type McpRequestContext,
  type ServerEvent,
} from "@modelcontextprotocol/server";
import { listTools, type ListedTool } from "../tools/listing.ts";
import type { Session } from "../tools/session.ts";
import { version } from "../base/version.ts";
import { Calls } from "./calls.ts";
import { losesContent } from "./client.ts";
import { complete } from "./completions.ts";
import { instructionsFor } from "./instructions.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { journalUri, parseUri, stepUri } from "./uri.ts";

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

export function openServing(session: Session, limits: Limits = limitsOf(session)): Serving {
  const calls = new Calls(session, limits);
  const tools = lazily(() => listTools(session.tools, session.showing ?? (() => "whole")));
  const onUpdate = (listener: (uri: string) => void) =>
    session.journal.onAppend(({ step }) => {
      listener(journalUri);
      listener(stepUri(step));
    });

  const create = (context: McpRequestContext): Server => {
    const server = new Server(
      { name: "handsight", title: "handsight", version },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        instructions: instructionsFor(session),
        requestState: { verify: (state, requestContext) => calls.permission.verify(state, requestContext) },
        cacheHints: {
          "tools/list": unchanging,
          "prompts/list": unchanging,
          "resources/templates/list": unchanging,
          "server/discover": unchanging,
        },
      },
    );
    server.setRequestHandler("tools/list", () => ({
      // A client that was promised structured content refuses a result without it.
      tools: losesContent(server) ? tools().map(withoutStructure) : tools(),
    }));
    const connection = isOneRequest(context) ? undefined : new AbortController();
    server.setRequestHandler("tools/call", (request, requestContext) =>
      calls.call(server, request, requestContext, connection?.signal),
    );
    server.setRequestHandler("resources/list", () => ({ resources: listResources(session) }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates }));
    server.setRequestHandler("resources/read", ({ params }) => readResource(session, params.uri, limits));
    server.setRequestHandler("prompts/list", () => ({ prompts: listPrompts() }));
    server.setRequestHandler("prompts/get", ({ params }) => getPrompt(params.name, params.arguments));
    server.setRequestHandler("completion/complete", ({ params }) => complete(session, params));
    const unfollow = followUpdates(server, context, onUpdate);
    server.onclose = () => {
      unfollow();
      connection?.abort();
    };
    server.onerror = (error) => session.log.debug("mcp", error);
    return server;
  };

  return {
    create,
    idle: () => calls.idle(),
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
