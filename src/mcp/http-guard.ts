import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface GuardOptions {
  readonly token: string;
  /** Host names by which clients may address this server: "localhost", or "box:8080" to fix the port, too. */
  readonly allowedHosts: readonly string[];
  /** Web origins with scheme and port. A page from another port of this machine is a stranger. */
  readonly allowedOrigins: readonly string[];
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Checks only the headers, so that a stranger's body is never read. */
export function findRefusal(headers: IncomingHttpHeaders, options: GuardOptions): Refusal | undefined {
  const { host, origin, authorization } = headers;
  if (!isHostAllowed(host, options.allowedHosts)) {
    return {
      status: 403,
      message: `Host ${host ?? "(none)"} is not allowed. Add it with --allowed-hosts if it is yours.`,
    };
  }
  if (origin !== undefined && !isOriginAllowed(origin, options.allowedOrigins)) {
    return { status: 403, message: `Origin ${origin} is not allowed. Add it with --allowed-origins if it is yours.` };
  }
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  if (given === undefined) {
    return {
      status: 401,
      message: "A token is needed: send it as Authorization: Bearer <token>. handsight prints it when it starts.",
      headers: { "www-authenticate": 'Bearer realm="handsight"' },
    };
  }
  if (isSameSecret(given, options.token)) return undefined;
  return {
    status: 401,
    message: "The token is wrong. A new one is made at every start unless one is configured.",
    headers: { "www-authenticate": 'Bearer realm="handsight", error="invalid_token"' },
  };
}

function isHostAllowed(host: string | undefined, allowed: readonly string[]): boolean {
  const url = parseUrl(`http://${host ?? ""}`);
  if (!url || url.pathname !== "/" || url.username !== "") return false;
  return allowed.some((entry) => [url.host, url.hostname].includes(entry.toLowerCase()));
}

function isOriginAllowed(origin: string, allowed: readonly string[]): boolean {
  const url = parseUrl(origin);
  return url !== undefined && allowed.some((entry) => parseUrl(entry)?.origin === url.origin);
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Takes the same time wherever the first difference is. */
function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
