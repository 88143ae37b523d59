import { StreamableHTTPClientTransport, type Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import { makeClient, type Era } from "../mcp/connect.ts";
import { openAgentDesk, type AgentDesk } from "../support/agent.ts";
import type { Fixture } from "../support/fixture.ts";
import { dataOf } from "../support/handsight.ts";

let desk: AgentDesk;
let app: Fixture;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_controls");
});
afterAll(async () => {
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

const pressed = (): number => app.events.filter(({ event }) => event === "pressed").length;
const press = { goal: 'click "Press me"', window: "GTK3 Controls", model: "rules" };

interface Setting {
  readonly era?: Era;
  readonly policy?: "ask" | "allow" | "observe-only";
  /** What the client's own model answers, in order. */
  readonly model?: readonly string[];
  /** What the person answers, in order. */
  readonly person?: readonly string[];
}

interface Asked {
  readonly client: Client;
  readonly prompts: { readonly systemPrompt?: string | undefined; readonly messages: unknown[] }[];
  readonly questions: string[];
}

/** A client over HTTP that lends its model, asks a person, both or neither. */
async function open({ era = "2025-11-25", policy = "allow", model, person }: Setting): Promise<Asked> {
  const session = await desk.open({ settleMs: "500", policy });
  const http = await serveHttp(session, { port: 0 });
  const capabilities = { ...(model && { sampling: {} }), ...(person && { elicitation: { form: {} } }) };
  const client = makeClient(era, { capabilities });
  const prompts: Asked["prompts"] = [];
  const questions: string[] = [];
  if (model) {
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      prompts.push(params);
      const text = model[prompts.length - 1] ?? model.at(-1) ?? "";
      return { role: "assistant", model: "lent", content: { type: "text", text } };
    });
  }
  if (person) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      const answer = person[questions.length - 1];
      return answer === undefined ? { action: "cancel" } : { action: "accept", content: { answer } };
    });
  }
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  onTestFinished(async () => {
    await client.close();
    await http.close();
  });
  return { client, prompts, questions };
}

async function run(client: Client, args: Record<string, unknown>, onprogress: (message: string) => void = () => {}) {
  const request = { name: "run_agent", arguments: args };
  const options = {
    timeout: 60_000,
    onprogress: ({ message }: { readonly message?: string | undefined }) => onprogress(message ?? ""),
  };
  return dataOf(await client.callTool(request, options));
}

describe("a goal handed over by an MCP client", () => {
  test("is pursued by the client's own model, which sees the window and whose effects are checked [S0-1]", async () => {
    const before = pressed();
    const { client, prompts } = await open({
      model: [
        '{"action":"click","target":"Press me","why":"the button"}',
        '{"action":"done","done":true,"why":"the label counts"}',
      ],
    });
    const told: string[] = [];
    const result = await run(client, { goal: "press the button once", window: "GTK3 Controls" }, (line) =>
      told.push(line),
    );
    expect(result).toMatchObject({ status: "done", model: "sampling", steps: [{ effect: "confirmed" }, {}] });
    expect(pressed()).toBe(before + 1);
    expect(told[0]).toBe("the button: confirmed");
    const [first] = prompts;
    expect(first?.systemPrompt).toContain("one JSON object");
    expect(first?.messages).toMatchObject([
      { role: "user", content: { type: "text", text: expect.stringMatching(/press the button once[^]*"Press me"/) } },
      { role: "user", content: { type: "image", mimeType: "image/jpeg" } },
    ]);
    expect(prompts[1]?.messages).toContainEqual(expect.objectContaining({ role: "assistant" }));
  });

  test("is put to that model once more after an answer that cannot be read, then given up", async () => {
    const before = pressed();
    const { client, prompts } = await open({ model: ["I would press the button."] });
    const result = await run(client, { goal: "press it", window: "GTK3 Controls", model: "client" });
    expect(result).toMatchObject({ status: "stopped", reason: "malformed" });
    expect(prompts).toHaveLength(2);
    expect(JSON.stringify(prompts[1]?.messages.at(-1))).toContain("could not be used");
    expect(pressed()).toBe(before);
  });

  test("needs no model if it is plain instructions", async () => {
    const before = pressed();
    const { client } = await open({});
    expect(await run(client, { ...press, model: undefined })).toMatchObject({ status: "done", model: "rules" });
    expect(pressed()).toBe(before + 1);
  });

  test("is refused with advice when the requested model is not available", async () => {
    const { client } = await open({});
    for (const [model, hint] of [
      ["client", "sampling"],
      ["configured", "HANDSIGHT_MODEL"],
    ]) {
      const { error } = await run(client, { ...press, model });
      expect(error).toMatchObject({ code: "not_supported", hint: expect.stringContaining(hint ?? "") });
    }
  });
});

describe("the rules hold for every step of it", () => {
  test("each action is asked about during the call; one denial ends it", async () => {
    const before = pressed();
    const { client, questions } = await open({ policy: "ask", person: ["once", "once", "deny"] });
    expect(await run(client, press)).toMatchObject({ status: "stopped", reason: "denied" });
    expect(questions).toHaveLength(3);
    expect(pressed()).toBe(before);
  });

  test.each(["2025-11-25", "2026-07-28"] as const)("what is allowed for good is asked about once (%s)", async (era) => {
    const before = pressed();
    const { client, questions } = await open({ era, policy: "ask", person: ["session"] });
    expect(await run(client, press)).toMatchObject({ status: "done" });
    expect(questions).toHaveLength(1);
    expect(pressed()).toBe(before + 1);
  });

  test("if nobody can be asked halfway, the step is refused with that reason", async () => {
    const before = pressed();
    const { client } = await open({ era: "2026-07-28", policy: "ask", person: ["once"] });
    expect(await run(client, press)).toMatchObject({ status: "stopped", reason: "denied" });
    expect(pressed()).toBe(before);
  });

  test("nothing is started if only looking is allowed", async () => {
    const { client } = await open({ policy: "observe-only" });
    expect(await run(client, press)).toMatchObject({ error: { code: "denied" } });
  });
});
