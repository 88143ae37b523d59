import { ProtocolError, type CallToolResult } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeTool } from "../../src/tools/describe.ts";
import { openTestSession } from "../support/session.ts";
import { connect, type ConnectOptions, type Connection, type Era, type Way } from "./connect.ts";
import { eventually } from "./eventually.ts";
import { dataOf } from "../support/handsight.ts";

const eras: readonly Era[] = ["2025-11-25", "2026-07-28"];

/** What every client must find, with any transport and revision. */
export function describeBehaviour(way: Way): void {
  describe.each(eras)(`${way}, revision %s`, (era) => {
    const open = (options: ConnectOptions = {}): Promise<Connection> => connect(way, era, options);
    /** For tests that do not depend on earlier calls. */
    let shared: Connection;
    beforeAll(async () => {
      shared = await open();
    });
    afterAll(() => shared[Symbol.asyncDispose]());

    test("says who it is, in words a person would search for", async () => {
      const { client } = shared;
      expect(client.getServerVersion()).toMatchObject({ name: "handsight" });
      expect(client.getNegotiatedProtocolVersion()).toBe(era);
      const instructions = client.getInstructions() ?? "";
      // Claude Code cuts off the rest.
      expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2048);
      for (const word of [
        "screenshot",
        "click",
        "type",
        "window",
        "desktop",
        "app",
        "automate",
        "computer use",
        "untrusted",
      ]) {
        expect(instructions).toContain(word);
      }
    });

    test("lists the tools as they describe themselves, the same every time", async () => {
      const { client } = shared;
      const expected = openTestSession().tools.map(describeTool);
      expect((await client.listTools()).tools).toEqual(expected);
      expect((await client.listTools(undefined, { cacheMode: "refresh" })).tools).toEqual(expected);
    });

    test("gives the data as structuredContent, as lines and, to a program that asks for it, byte for byte as JSON", async () => {
      const call = { name: "echo", arguments: { text: 'hé "quoted" 你好' } };
      const result = await shared.client.callTool(call);
      expect(result.structuredContent).toEqual({ text: 'hé "quoted" 你好', length: 14 });
      expect(textsOf(result)).toEqual(['| hé "quoted" 你好']);
      expect(result.isError).toBeFalsy();
      const json = await shared.client.callTool({ ...call, _meta: { "handsight/answers": "json" } });
      expect(textsOf(json)).toEqual([JSON.stringify(result.structuredContent)]);
      expect(json.structuredContent).toEqual(result.structuredContent);
    });

    test.each([
      [
        "a foreseen error",
        { name: "fail", arguments: { how: "foreseen" } },
        { code: "not_found", hint: "List the windows." },
      ],
      ["a bug, without its details", { name: "fail", arguments: { how: "unforeseen" } }, { code: "internal" }],
      ["a wrong argument", { name: "echo", arguments: { txt: "x" } }, { code: "invalid_argument" }],
      ["an unknown tool", { name: "ecko", arguments: {} }, { code: "not_found", hint: 'Did you mean "echo"?' }],
    ])("answers %s with the error envelope", async (_what, call, error) => {
      await shared.client.listTools();
      const result = await shared.client.callTool(call);
      expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
      expect(result).not.toHaveProperty("structuredContent");
      const [text] = textsOf(result);
      expect(dataOf(result)).toMatchObject({ error });
      expect(text).toMatch(new RegExp(`^${error.code}: .`));
      if ("hint" in error) expect(text?.split("\n")[1]).toBe(error.hint);
      expect(text).not.toContain("/secret/path");
      const json = await shared.client.callTool({ ...call, _meta: { "handsight/answers": "json" } });
      expect(JSON.parse(textsOf(json)[0] ?? "")).toMatchObject({ error });
    });

    test("puts the picture first; a program also gets a link to the full frame", async () => {
      const call = { name: "picture", arguments: { frame: "f1abc" } };
      expect((await shared.client.callTool(call)).content.map(({ type }) => type)).toEqual(["image", "text"]);
      const { content } = await shared.client.callTool({ ...call, _meta: { "handsight/answers": "json" } });
      expect(content.map(({ type }) => type)).toEqual(["image", "text", "resource_link"]);
      expect(content[0]).toEqual({ type: "image", data: "BwcH", mimeType: "image/png" });
      expect(content[2]).toMatchObject({ uri: "handsight://frames/f1abc" });
    });

    test("links a picture that is too large to send along, and serves it", async () => {
      const { content } = await shared.client.callTool({ name: "picture", arguments: { bytes: 1_000_000 } });
      expect(content.map(({ type }) => type)).toEqual(["text", "text", "resource_link"]);
      const { uri } = content[2] as { uri: string };
      expect(uri).toMatch(/^handsight:\/\/frames\/s\d+-1$/);
      const { contents } = await shared.client.readResource({ uri });
      expect(contents[0]).toMatchObject({ mimeType: "image/png" });
      expect(Buffer.from((contents[0] as { blob: string }).blob, "base64")).toHaveLength(1_000_000);
    });

    test("never sends a message above 4 MB", async () => {
      const many = await shared.client.callTool({ name: "picture", arguments: { bytes: 900_000, count: 5 } });
      expect(JSON.stringify(many).length).toBeLessThan(4 * 1024 * 1024);
      expect(many.content.filter(({ type }) => type === "image")).toHaveLength(1);
      expect(many.content.filter(({ type }) => type === "resource_link")).toHaveLength(4);
      const flood = await shared.client.callTool({ name: "flood", arguments: { characters: 3_000_000 } });
      expect(flood.isError).toBe(true);
      expect(textsOf(flood)[0]).toContain("Ask for less");
    });

    test("reports progress", async () => {
      const reports: unknown[] = [];
      await shared.client.callTool(
        { name: "slow", arguments: { steps: 4, ms: 20 } },
        { onprogress: (report) => reports.push(report) },
      );
      // The last report may arrive together with the result, when the client has stopped listening.
      expect(reports.slice(0, 3)).toEqual(
        [1, 2, 3].map((step) => ({ progress: step, total: 4, message: `step ${step}` })),
      );
    });

    test("a cancelled call is answered as such and releases what it holds", async () => {
      const before = await seen(shared);
      const abort = new AbortController();
      const call = shared.client.callTool(
        { name: "slow", arguments: { steps: 1000, ms: 20 } },
        { signal: abort.signal },
      );
      const refused = call.catch((error: unknown) => error);
      await eventually(async () => expect(await seen(shared)).toEqual([...before, "slow: started"]));
      abort.abort();
      expect(await refused).toBeInstanceOf(Error);
      await eventually(async () => expect(await seen(shared)).toEqual([...before, "slow: started", "slow: released"]));
    });

    describe("permission", () => {
      const poke = (connection: Connection, where = "here") =>
        connection.client.callTool({ name: "poke", arguments: { where } });

      test("once allows one call", async () => {
        await using connection = await open({ policy: "ask", say: ["once", "once"] });
        expect(await poke(connection)).toMatchObject({ structuredContent: { poked: "here" } });
        expect(await poke(connection)).toMatchObject({ structuredContent: { poked: "here" } });
        expect(connection.questions).toHaveLength(2);
        expect(connection.questions[0]).toContain("Allow handsight to poke?");
      });

      test("session allows the tool from then on", async () => {
        await using connection = await open({ policy: "ask", say: ["session"] });
        await poke(connection);
        expect(await poke(connection, "there")).toMatchObject({ structuredContent: { poked: "there" } });
        expect(connection.questions).toHaveLength(1);
      });

      test.each(["deny", "decline", "cancel", "nothing"] as const)("%s refuses", async (answer) => {
        await using connection = await open({ policy: "ask", say: [answer] });
        const result = await poke(connection);
        expect(result.isError).toBe(true);
        expect(dataOf(result)).toMatchObject({ error: { code: "denied" } });
        expect(connection.questions).toHaveLength(1);
      });

      test("a client that cannot ask anyone gets a refusal that says how to allow it", async () => {
        await using connection = await open({ policy: "ask" });
        const result = await poke(connection);
        expect(result.isError).toBe(true);
        const { error } = dataOf(result) as { error: { code: string; hint: string } };
        expect(error.code).toBe("denied");
        expect(error.hint).toContain("--policy allow");
      });
    });

    describe("resources", () => {
      test("lists and reads the journal, its steps and its frames", async () => {
        await using connection = await open();
        const { client } = connection;
        await client.callTool({ name: "picture" });
        const { resources } = await client.listResources();
        expect(resources.map(({ uri }) => uri)).toEqual([
          "handsight://journal",
          "handsight://journal/s1",
          "handsight://frames/s1-1",
        ]);
        expect(await readJson(connection, "handsight://journal")).toMatchObject({
          steps: [{ step: "s1", tool: "picture", ok: true }],
        });
        expect(await readJson(connection, "handsight://journal/s1")).toMatchObject({
          step: "s1",
          tool: "picture",
          result: { count: 1 },
          client: "test-client 1.2.3",
        });
        const frame = await client.readResource({ uri: "handsight://frames/f1abc" });
        expect(frame.contents).toEqual([{ uri: "handsight://frames/f1abc", mimeType: "image/webp", blob: "AQID" }]);
      });

      test("lists at most 50, the newest first", async () => {
        await using connection = await open();
        for (let count = 0; count < 55; count++) await connection.client.callTool({ name: "echo" });
        const { resources } = await connection.client.listResources();
        expect(resources).toHaveLength(50);
        expect(resources[1]?.uri).toBe("handsight://journal/s55");
      });

      test("has a template for each kind", async () => {
        const { resourceTemplates } = await shared.client.listResourceTemplates();
        expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
          "handsight://journal/{step}",
          "handsight://frames/{id}",
          "handsight://trees/{id}",
          "handsight://watches/{watch}",
          "handsight://reports/{id}",
        ]);
      });

      test.each([
        "handsight://journal/s99",
        "handsight://frames/nothing",
        "handsight://trees/s1-tree",
        "handsight://watches/w99",
        "handsight://reports/flow-99",
        "handsight://reports/..%2F..%2Fetc%2Fpasswd",
        "handsight://frames/../../etc/passwd",
        "handsight://frames/..%2F..%2Fetc%2Fpasswd",
        "handsight://frames/",
        "file:///etc/passwd",
      ])("refuses %s", async (uri) => {
        const refusal: unknown = await shared.client.readResource({ uri }).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(ProtocolError);
        expect(refusal).toMatchObject({ code: -32_602, data: { uri } });
      });

      test("notifies a subscriber when the journal grows, and nobody else", async () => {
        const { client } = shared;
        const updated: string[] = [];
        client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
        await client.callTool({ name: "echo" });
        const uri = "handsight://journal";
        const subscription = era === "2026-07-28" ? await client.listen({ resourceSubscriptions: [uri] }) : undefined;
        if (!subscription) await client.subscribeResource({ uri });
        await client.callTool({ name: "echo" });
        await eventually(() => expect(updated).toEqual([uri]));
        if (subscription) await subscription.close();
        else await client.unsubscribeResource({ uri });
        await client.callTool({ name: "echo" });
        await client.callTool({ name: "echo" });
        expect(updated).toEqual([uri]);
      });
    });

    describe("prompts", () => {
      test("lists them with their arguments and fills them in", async () => {
        const { prompts } = await shared.client.listPrompts();
        expect(prompts.map(({ name }) => name)).toEqual(["use_window", "fill_form", "describe_screen", "automate_app"]);
        for (const prompt of prompts) expect(prompt.description).toBeTruthy();
        const { messages } = await shared.client.getPrompt({
          name: "automate_app",
          arguments: { app: "mousepad", goal: "a saved file" },
        });
        expect(messages[0]?.content).toMatchObject({
          type: "text",
          text: expect.stringContaining("in mousepad: a saved file") as string,
        });
      });

      test("names what is missing", async () => {
        await expect(shared.client.getPrompt({ name: "use_window" })).rejects.toThrow("needs: task");
        await expect(shared.client.getPrompt({ name: "nope" })).rejects.toThrow('There is no prompt "nope"');
      });
    });

    test("completes resource ids and prompt arguments", async () => {
      await using connection = await open();
      const { client } = connection;
      await client.callTool({ name: "echo" });
      await client.callTool({ name: "picture" });
      const complete = async (
        ref: { type: "ref/resource"; uri: string } | { type: "ref/prompt"; name: string },
        name: string,
        value: string,
      ) => (await client.complete({ ref, argument: { name, value } })).completion.values;
      expect(await complete({ type: "ref/resource", uri: "handsight://journal/{step}" }, "step", "s")).toEqual([
        "s2",
        "s1",
      ]);
      expect(await complete({ type: "ref/resource", uri: "handsight://frames/{id}" }, "id", "")).toEqual(["s2-1"]);
      expect(await complete({ type: "ref/prompt", name: "describe_screen" }, "detail", "B")).toEqual(["brief"]);
      await expect(complete({ type: "ref/prompt", name: "describe_screen" }, "colour", "")).rejects.toThrow(
        "no argument",
      );
    });
  });
}

function textsOf({ content }: Pick<CallToolResult, "content">): string[] {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

async function seen({ client }: Connection): Promise<string[]> {
  const { structuredContent } = await client.callTool({ name: "seen" });
  return (structuredContent as { events: string[] }).events;
}

async function readJson({ client }: Connection, uri: string): Promise<unknown> {
  const { contents } = await client.readResource({ uri });
  const json = contents.find(({ mimeType }) => mimeType === "application/json");
  return JSON.parse((json as { text: string }).text);
}
