import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { serveHttp } from "../../src/mcp/http.ts";
import { devtoolsNames } from "../../src/tools/answer/devtools.ts";
import { describeTool } from "../../src/tools/describe.ts";
import { allTools, selectTools } from "../../src/tools/registry.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { toAnswer, type Answer } from "../support/handsight.ts";
import { removeFolder } from "../support/remove-folder.ts";
import { makeClient } from "./connect.ts";

const open: (() => PromiseLike<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

interface Setup {
  readonly flags?: Record<string, string>;
  readonly rules?: { readonly mode: string; readonly [key: string]: unknown };
  /** What the person answers, in order. */
  readonly say?: string[];
}

/** The product on a desktop in memory, behind a real client. */
async function connect({ flags = {}, rules, say }: Setup = {}) {
  const folder = mkdtempSync(join(tmpdir(), "handsight-list-"));
  open.push(() => removeFolder(folder));
  const ruleFile = join(folder, "rules.json");
  if (rules) writeFileSync(ruleFile, JSON.stringify(rules));
  const { session } = openFakeSession(
    { width: 800, height: 600 },
    { journal: "on", runsDir: folder, ...(rules ? { rules: ruleFile, policy: rules.mode } : {}), ...flags },
  );
  open.push(() => session[Symbol.asyncDispose]());
  const http = await serveHttp(session, { port: 0 });
  open.push(() => http.close());
  const client = makeClient("2026-07-28", say ? { capabilities: { elicitation: { form: {} } } } : {});
  const questions: string[] = [];
  if (say) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      questions.push(params.message);
      return { action: "accept", content: { answer: say.shift() ?? "deny" } };
    });
  }
  const headers = { authorization: `Bearer ${http.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
  open.push(() => client.close());
  const ask = async (name: string, args: object = {}): Promise<Answer> =>
    toAnswer(await client.callTool({ name, arguments: { ...args } }));
  return {
    client,
    questions,
    ask,
    wrapped: (name: string, input: object = {}) => ask("call_tool", { name, input }),
    list: async () => (await client.listTools()).tools,
    last: () => session.journal.entries().at(-1),
  };
}

const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
const errorOf = ({ data }: Answer) => data["error"] as { code: string; message: string; hint?: string };

describe("what the list costs", () => {
  test.each([
    ["default", 6_000],
    ["core", 4_000],
  ])("%s: at most %i tokens, all that a client receives", async (set, most) => {
    const { list, client } = await connect({ flags: { tools: set } });
    const tools = await list();
    const cost = tokens(tools);
    console.log(
      `${set}: ${tools.length} tools, ${cost} tokens; instructions ${tokens(client.getInstructions())} tokens`,
    );
    expect(cost).toBeLessThanOrEqual(most);
    // Claude Code cuts off the rest.
    expect(Buffer.byteLength(client.getInstructions() ?? "")).toBeLessThanOrEqual(2_048);
    for (const { name, annotations } of tools) {
      expect(Object.keys(annotations ?? {}), name).toHaveLength(4);
    }
  });

  test("no argument is explained twice in the same words", async () => {
    const texts = (await (await connect()).list()).flatMap(({ inputSchema: { properties = {} } }) =>
      Object.entries(properties as Record<string, { description?: string }>).flatMap(([name, { description }]) =>
        description === undefined ? [] : [`${name}: ${description}`],
      ),
    );
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("a short definition promises nothing that the whole one does not, and results stay structured", async () => {
    const { list, ask } = await connect();
    for (const { name, description, inputSchema, outputSchema } of await list()) {
      const whole = allTools.find((tool) => tool.name === name);
      if (!whole) throw new Error(name);
      const { inputSchema: all, description: text } = describeTool(whole);
      expect({ description, outputSchema }).toEqual({ description: text, outputSchema: undefined });
      expect(Object.keys(all["properties"] as object)).toEqual(
        expect.arrayContaining(Object.keys(inputSchema.properties ?? {})),
      );
      expect(inputSchema.required ?? []).toEqual(all["required"] ?? []);
    }
    expect((await ask("list_windows")).data).toHaveProperty("windows");
  });
});

describe("nothing is hidden [C29]", () => {
  test("by default every tool except the compatibility sets is found and called, listed or not", async () => {
    const { list, ask, wrapped } = await connect({ flags: { policy: "observe-only" } });
    const listed = (await list()).map(({ name }) => name);
    for (const { name } of selectTools(["default"])) {
      if (["find_tools", "call_tool"].includes(name)) continue;
      const { data } = await ask("find_tools", { query: name, max_results: 1 });
      expect(data["tools"]).toMatchObject([{ name, input_schema: { type: "object" } }]);
      if (listed.includes(name)) continue;
      // A misspelt argument is answered by the tool itself.
      const [direct, inside] = [await ask(name, { nonsense: 1 }), await wrapped(name, { nonsense: 1 })];
      expect(errorOf(direct)).toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining(name) as string,
      });
      expect(errorOf(inside)).toEqual(errorOf(direct));
      expect(errorOf(inside).hint).toContain(`find_tools {"query": "${name}"}`);
    }
  });

  test("devtools lists its whole surface, all lists everything, whole", async () => {
    const named = async (tools: string) => (await (await connect({ flags: { tools } })).list()).map(({ name }) => name);
    expect((await named("devtools")).toSorted()).toEqual([...devtoolsNames].toSorted());
    expect(await named("all")).toEqual(allTools.map(({ name }) => name));
    const whole = await (await connect({ flags: { tools: "default,compat-ui" } })).list();
    expect(whole.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)).toEqual(
      selectTools(["compat-ui"]).map(({ name }) => name),
    );
  });

  test.each(["desktop,meta", "core,meta"])("a person who names %s limits what can be reached", async (tools) => {
    const { ask, wrapped } = await connect({ flags: { tools } });
    for (const answer of [await ask("cdp_launch"), await wrapped("cdp_launch"), await wrapped("ui_click")]) {
      expect(errorOf(answer)).toMatchObject({ code: "not_found" });
    }
    const { data } = await ask("find_tools", { query: "start a browser", max_results: 20 });
    expect((data["tools"] as { name: string }[]).filter(({ name }) => name.startsWith("cdp_"))).toEqual([]);
  });

  test("where the list is complete, call_tool is no way around it", async () => {
    const { ask } = await connect({ flags: { tools: "browser" } });
    expect(errorOf(await ask("call_tool", { name: "list_windows" }))).toMatchObject({ code: "not_found" });
    expect(errorOf(await ask("call_tool", { name: "cdp_list_pages" }))).toMatchObject({
      message: 'There is no tool "call_tool".',
    });
  });
});

describe("call_tool is the tool inside", () => {
  test("its answer, words and structure", async () => {
    const { ask, wrapped } = await connect();
    for (const [name, input] of [
      ["list_displays", {}],
      ["get_mouse_position", {}],
      ["list_windows", { filter: "nothing" }],
    ] as const) {
      expect(await wrapped(name, input)).toEqual(await ask(name, input));
    }
    const told = await ask("call_tool", { name: "list_displays", input: "{}" });
    expect(told.data).toHaveProperty("displays");
  });

  test("the form of its answer: a compatibility tool answers in JSON", async () => {
    const { ask, wrapped } = await connect({ flags: { tools: "all" } });
    const [direct, inside] = [await ask("ui_list_windows"), await wrapped("ui_list_windows")];
    expect(inside.text).toBe(direct.text);
    expect(inside.text).toContain('{"Success":true');
  });

  test("its place in the journal", async () => {
    const { wrapped, last } = await connect();
    await wrapped("move_mouse", { x: 5, y: 6 });
    expect(last()).toMatchObject({ tool: "move_mouse", access: "act", ok: true, arguments: { x: 5, y: 6 } });
    await wrapped("set_clipboard", { text: "top secret" });
    expect(JSON.stringify(last())).not.toContain("top secret");
  });

  test.each([
    ["a rule denies it", { mode: "allow", rules: [{ tool: "move_*", verdict: "deny" }] }],
    ["only looking is allowed", { mode: "observe-only" }],
    ["somebody must be asked, and nobody is there", { mode: "ask" }],
  ])("its refusal, when %s", async (_why, rules) => {
    const { ask, wrapped } = await connect({ rules });
    const direct = await ask("move_mouse", { x: 1, y: 1 });
    expect(errorOf(direct)).toMatchObject({ code: "denied" });
    expect(await wrapped("move_mouse", { x: 1, y: 1 })).toEqual(direct);
  });

  test("a rule that allows only some tools lets those pass inside, too", async () => {
    const rules = [
      { tool: "get_mouse_position", verdict: "allow" },
      { tool: "*", verdict: "deny" },
    ];
    const { wrapped } = await connect({ rules: { mode: "allow", rules } });
    expect((await wrapped("get_mouse_position")).isError).toBe(false);
    expect(errorOf(await wrapped("list_displays"))).toMatchObject({ code: "denied" });
  });

  test("a rule that names call_tool refuses every use of it", async () => {
    const { ask, wrapped, last } = await connect({
      rules: { mode: "allow", rules: [{ tool: "call_tool", verdict: "deny" }] },
    });
    expect(errorOf(await wrapped("get_mouse_position"))).toMatchObject({ code: "denied" });
    expect(last()).toMatchObject({ tool: "get_mouse_position", ok: false });
    expect((await ask("get_mouse_position")).isError).toBe(false);
  });

  test("its question to the person, whose answer counts for the tool by either way", async () => {
    const { ask, wrapped, questions } = await connect({ rules: { mode: "ask" }, say: ["tool"] });
    expect((await wrapped("move_mouse", { x: 1, y: 1 })).isError).toBe(false);
    expect(questions).toEqual([expect.stringMatching(/move the mouse/i) as string]);
    expect(questions[0]).not.toContain("call_tool");
    expect((await ask("move_mouse", { x: 2, y: 2 })).isError).toBe(false);
    expect(questions).toHaveLength(1);
  });

  test("its rates: pictures and actions count as if called directly", async () => {
    const { wrapped, ask } = await connect({
      rules: { mode: "allow", maxActionsPerMinute: 1, maxCapturesPerMinute: 1 },
    });
    expect((await wrapped("move_mouse", { x: 1, y: 1 })).isError).toBe(false);
    expect(errorOf(await wrapped("move_mouse", { x: 2, y: 2 }))).toMatchObject({ code: "rate_limited" });
    expect((await wrapped("take_screenshot", { mode: "screen" })).images).toHaveLength(1);
    expect(errorOf(await ask("take_screenshot", { mode: "screen" }))).toMatchObject({ code: "rate_limited" });
  });

  test("a wrong name or wrapping is explained", async () => {
    const { ask, wrapped } = await connect();
    expect(errorOf(await wrapped("list_display"))).toMatchObject({
      code: "not_found",
      hint: expect.stringContaining('Did you mean "list_displays"?') as string,
    });
    expect(errorOf(await wrapped("call_tool", { name: "click" }))).toMatchObject({ code: "invalid_argument" });
    expect(errorOf(await ask("call_tool", {}))).toMatchObject({ code: "invalid_argument" });
    expect(errorOf(await ask("call_tool", { name: "click", inputs: {} })).message).toContain('did you mean "input"?');
    expect(errorOf(await ask("call_tool", { name: "click", input: 3 }))).toMatchObject({ code: "invalid_argument" });
  });
});

describe("find_tools", () => {
  test("says what a model needs for the call, in lines", async () => {
    const { ask } = await connect();
    const { text, data } = await ask("find_tools", { query: "compare screenshots or take one", max_results: 1 });
    expect(text.split("\n")[0]).toMatch(/^compare_screenshots: /);
    expect(text).toMatch(/^ {2}\w+\??: \w+/m);
    expect(text).toMatch(/^… \d+ more$/m);
    expect(data["total"]).toBeGreaterThan(1);
  });

  test("keeps to its budget, and says that there is nothing", async () => {
    const { ask } = await connect();
    const small = await ask("find_tools", { query: "click", max_results: 20, max_tokens: 1_500 });
    expect(tokens(small.text)).toBeLessThanOrEqual(1_500);
    expect(small.text).toContain("(arguments left out)");
    expect((await ask("find_tools", { query: "quantum chromodynamics" })).text).toMatch(/^no tools\n/);
  });
});
