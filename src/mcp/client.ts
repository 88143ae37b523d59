import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Whether the client can show a person a form. An empty `elicitation` means forms, once the only kind. */
export function canAsk(server: Server, context: ServerContext): boolean {
  const { elicitation } = envelope(context).capabilities ?? server.getClientCapabilities() ?? {};
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/**
 * As long as it uses the 2025 revision, Claude Code shows its model only the structured content if there is any: no
 * picture, no screen text, no marks around it. It is offered none, so that the model sees the rest.
 */
export function losesContent(server: Server): boolean {
  return server.getClientVersion()?.name === "claude-code";
}

/** "claude-code 2.1.325", for the journal. */
export function clientName(server: Server, context: ServerContext): string | undefined {
  const info = envelope(context).info ?? server.getClientVersion();
  return info && `${info.name} ${info.version}`;
}

/** 2026 clients identify themselves in every request, 2025 clients once per connection. The SDK has validated it. */
function envelope({ mcpReq }: ServerContext): { capabilities?: ClientCapabilities; info?: Implementation } {
  const meta = (mcpReq.envelope ?? {}) as Readonly<Record<string, unknown>>;
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
  const info = meta[CLIENT_INFO_META_KEY] as Implementation | undefined;
  return { ...(capabilities && { capabilities }), ...(info && { info }) };
}
