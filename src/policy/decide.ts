/** How far a tool reaches: look, touch, start and stop programs or files, run foreign code. */
export type Access = "observe" | "act" | "manage" | "execute";

export const policyModes = ["ask", "allow", "observe-only"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** What a person said when asked: this call only, everything of this kind until the session ends, or no. */
export type Answer = "once" | "session" | "deny";

export interface PolicyRequest {
  readonly tool: string;
  readonly title: string;
  readonly access: Access;
}

export type Decision =
  | { readonly verdict: "allow" }
  | { readonly verdict: "ask"; readonly question: string; readonly grants: readonly string[] }
  | { readonly verdict: "deny"; readonly reason: string; readonly hint: string };

const automation = "ui-automation";

/**
 * Pure. In `ask` mode the first call of a session asks for UI automation as a whole; after that looking is free
 * and every tool that does something asks once for itself.
 */
export function decide(request: PolicyRequest, mode: PolicyMode, grants: ReadonlySet<string>): Decision {
  if (mode === "allow") return { verdict: "allow" };
  if (mode === "observe-only") {
    if (request.access === "observe") return { verdict: "allow" };
    return {
      verdict: "deny",
      reason: `${request.tool} is refused: the policy is observe-only.`,
      hint: 'Start handsight with "--policy ask" or "--policy allow" to let it act.',
    };
  }
  const needed = request.access === "observe" ? [automation] : [automation, `tool:${request.tool}`];
  const missing = needed.filter((grant) => !grants.has(grant.toLowerCase()));
  if (missing.length === 0) return { verdict: "allow" };
  return { verdict: "ask", question: question(request, missing), grants: missing };
}

function question({ tool, title, access }: PolicyRequest, missing: readonly string[]): string {
  const reach: Record<Access, string> = {
    observe: "look at your screen and read what is on it",
    act: "use your mouse and keyboard",
    manage: "start and stop programs and move their windows",
    execute: "run code in a page",
  };
  const first = missing.includes(automation) ? "handsight has not been used in this session yet. " : "";
  return `${first}Allow "${title}" (${tool})? It can ${reach[access]}.`;
}
