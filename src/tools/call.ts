import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { z } from "zod";
import { ToolError, type ErrorEnvelope } from "../base/errors.ts";
import { cancelled, throwIfCancelled } from "../base/async.ts";
import { decide, type Answer } from "../policy/decide.ts";
import { redact } from "../journal/redact.ts";
import type { Ability } from "../platform/backend.ts";
import type { Surface } from "../surface/surface.ts";
import { nearest } from "../base/nearest.ts";
import type { Session } from "./session.ts";
import { surfaceOf, type AnyTool, type Progress, type ToolContext, type ToolImage, type ToolResult } from "./tool.ts";

export type { Answer };

export interface CallRequest {
  readonly tool: string;
  readonly arguments: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Who calls: the MCP client's name, "cli", "agent". */
  readonly client?: string | undefined;
  /** Whether this front end can put a question to a person. */
  readonly canAsk: boolean;
  /** The person's answer, when the previous outcome was `ask`. */
  readonly answer?: Answer | undefined;
}

export type CallOutcome =
  | {
      readonly kind: "done";
      readonly stepId: string;
      readonly data: Record<string, unknown>;
      readonly images: readonly ToolImage[];
      readonly notes: readonly string[];
      /** The data itself reports a failure, in the words of another contract. */
      readonly reportsFailure: boolean;
    }
  /** Nothing has been done. Ask the person, then call again with `answer`. */
  | { readonly kind: "ask"; readonly question: string }
  | { readonly kind: "failed"; readonly stepId: string; readonly envelope: ErrorEnvelope };

/** The only way in: validate → policy → lock → run → journal → map errors. Never throws. */
export async function callTool(session: Session, request: CallRequest): Promise<CallOutcome> {
  const started = Date.now();
  const clock = performance.now();
  const stepId = session.journal.nextStep();
  const tool = session.tools.find(({ name }) => name === request.tool);
  const finish = (ok: boolean, result: unknown, artifacts: readonly string[] = []) => {
    try {
      session.journal.append({
        type: "call",
        step: stepId,
        at: started,
        ms: Math.round((performance.now() - clock) * 10) / 10,
        tool: request.tool,
        access: tool?.access ?? "observe",
        arguments: redact(request.arguments, tool?.secret ?? []),
        ok,
        result: redact(result, tool?.secret ?? []),
        artifacts,
        ...(request.client === undefined ? {} : { client: request.client }),
      });
    } catch (error) {
      session.log.error("the journal could not be written", error);
    }
  };
  try {
    if (!tool) throw unknownTool(session, request.tool);
    const input = validate(tool, request.arguments);
    const asked = consult(session, tool, request);
    if (asked !== undefined) return { kind: "ask", question: asked };
    const result = await runLocked(session, tool, input, request, stepId);
    const artifacts = keepArtifacts(session, stepId, result);
    const data = tool.output.parse(result.data);
    const { images = [], notes = [], failed: reportsFailure = false } = result;
    finish(!reportsFailure, data, artifacts);
    return { kind: "done", stepId, data, images, notes, reportsFailure };
  } catch (thrown) {
    const envelope = toEnvelope(session, thrown, request);
    finish(false, envelope.error);
    return { kind: "failed", stepId, envelope };
  }
}

function keepArtifacts(
  session: Session,
  stepId: string,
  { images = [], tree }: ToolResult<unknown>,
): readonly string[] {
  const save = (name: string, bytes: Uint8Array) => session.journal.saveArtifact(`${stepId}-${name}`, bytes);
  const pictures = images.map((image, index) => save(`${index + 1}.${extension(image.mimeType)}`, image.bytes));
  return tree === undefined ? pictures : [...pictures, save("tree.json", Buffer.from(JSON.stringify(tree)))];
}

async function runLocked(
  session: Session,
  tool: AnyTool,
  input: unknown,
  request: CallRequest,
  stepId: string,
): Promise<ToolResult<Record<string, unknown>>> {
  const signal = request.signal ?? new AbortController().signal;
  // Every request in flight listens; Node takes more than ten listeners for a leak and says so on stderr.
  setMaxListeners(0, signal);
  throwIfCancelled(signal);
  const context: ToolContext = {
    session,
    signal,
    stepId,
    surface: async () => needAbilities(tool, await session.surface(surfaceOf(input))),
    progress: (progress) => request.progress?.(progress),
  };
  return session.lock.run(tool.access === "observe" ? "shared" : "exclusive", signal, () =>
    tool.run(input as never, context),
  );
}

function validate(tool: AnyTool, value: unknown): unknown {
  const parsed = tool.input.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw new ToolError("invalid_argument", `${tool.name}: ${explain(parsed.error, tool)}`, {
    hint: `Arguments of ${tool.name}: ${Object.keys(tool.input.shape).join(", ") || "none"}.`,
  });
}

/** The one wording for bad arguments. */
function explain(error: z.ZodError, tool: AnyTool): string {
  const known = Object.keys(tool.input.shape);
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      if (issue.code === "unrecognized_keys") {
        return issue.keys
          .map((key) => {
            const near = nearest(key, known);
            return `unknown argument "${key}"${near ? `, did you mean "${near}"?` : ""}`;
          })
          .join("; ");
      }
      const path = issue.path.map(String).join(".");
      return path === "" ? lowerFirst(issue.message) : `${path}: ${lowerFirst(issue.message)}`;
    })
    .join("; ");
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns the question to ask, or undefined when the call may go on; throws when it may not. */
function consult(session: Session, tool: AnyTool, request: CallRequest): string | undefined {
  const decision = decide({ tool: tool.name, title: tool.title, access: tool.access }, session.policy, session.grants);
  if (decision.verdict === "allow") return undefined;
  if (decision.verdict === "deny") throw new ToolError("denied", decision.reason, { hint: decision.hint });
  if (request.answer === "deny") {
    throw new ToolError("denied", `${tool.name} was refused by the person asked.`, {
      hint: "Do not try again unless they ask for it.",
    });
  }
  if (request.answer === undefined) {
    if (request.canAsk) return decision.question;
    throw new ToolError("denied", `${tool.name} needs permission, and this client cannot ask anybody for it.`, {
      hint: 'Start handsight with "--policy allow" (or HANDSIGHT_POLICY=allow), or use a client that supports elicitation.',
    });
  }
  if (request.answer === "session") for (const grant of decision.grants) session.grants.add(grant.toLowerCase());
  return undefined;
}

function needAbilities(tool: AnyTool, surface: Surface): Surface {
  const missing = tool.needs.filter((ability: Ability) => surface.backend[ability] === undefined);
  if (missing.length === 0) return surface;
  throw new ToolError(
    "not_supported",
    `${tool.name} needs ${missing.join(" and ")}, which ${surface.backend.id} lacks.`,
    {
      hint: 'Call "capabilities" to see what works here and how to get the rest.',
    },
  );
}

function unknownTool(session: Session, name: string): ToolError {
  const near = nearest(
    name,
    session.tools.map((tool) => tool.name),
  );
  return new ToolError("not_found", `There is no tool "${name}".`, {
    hint: near ? `Did you mean "${near}"?` : 'It may belong to a set that is off; see "--tools".',
  });
}

function toEnvelope(session: Session, thrown: unknown, request: CallRequest): ErrorEnvelope {
  if (request.signal?.aborted) return cancelled(request.signal).toEnvelope();
  if (thrown instanceof ToolError) return thrown.toEnvelope();
  const id = randomBytes(4).toString("hex");
  session.log.error(`internal error ${id} in ${request.tool}`, thrown);
  return new ToolError("internal", `handsight failed inside ${request.tool} (${id}).`, {
    hint: `Look for ${id} in the log, and report it.`,
  }).toEnvelope();
}

const extension = (mimeType: string): string => (mimeType === "image/jpeg" ? "jpg" : mimeType.replace("image/", ""));
