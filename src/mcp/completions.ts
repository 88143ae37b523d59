import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequestParams,
  type CompleteResult,
} from "@modelcontextprotocol/server";
import type { Session } from "../tools/session.ts";
import { suggestionsFor, type Suggestions } from "./prompts.ts";
import { resourceIds, resourceTemplates } from "./resources.ts";
import type { ResourceKind } from "./uri.ts";

/** The protocol's own limit on values in one answer. */
const most = 100;

const kindOf: Readonly<Record<string, ResourceKind>> = {
  "journal-step": "journal",
  frame: "frames",
  tree: "trees",
  "watched-tree": "watches",
};

export function complete(session: Session, { ref, argument }: CompleteRequestParams): CompleteResult {
  const candidates =
    ref.type === "ref/prompt"
      ? fromSuggestions(session, suggestionsFor(ref.name, argument.name))
      : resourceIds(session, needTemplate(ref.uri));
  const wanted = argument.value.toLowerCase();
  const values = [...new Set(candidates)].filter((value) => value.toLowerCase().startsWith(wanted));
  return { completion: { values: values.slice(0, most), total: values.length, hasMore: values.length > most } };
}

function needTemplate(uri: string): ResourceKind {
  const kind = kindOf[resourceTemplates.find(({ uriTemplate }) => uriTemplate === uri)?.name ?? ""];
  if (kind) return kind;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource template "${uri}".`);
}

// Names come from earlier answers in this run: asking the desktop again would be slow, and would reveal titles to a
// client that has no permission to look yet.
function fromSuggestions(session: Session, suggestions: Suggestions): Iterable<string> {
  if (suggestions === "windows") return namesIn(latestResult(session, "list_windows"), ["title"]);
  if (suggestions === "apps") return namesIn(latestResult(session, "list_apps"), ["name", "app", "app_name"]);
  return suggestions;
}

function latestResult(session: Session, tool: string): unknown {
  return session.journal.entries().findLast((entry) => entry.ok && entry.tool === tool)?.result;
}

function* namesIn(value: unknown, keys: readonly string[]): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* namesIn(item, keys);
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === "string" && inner !== "" && keys.includes(key)) yield inner;
      else yield* namesIn(inner, keys);
    }
  }
}
