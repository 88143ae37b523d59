import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pictureSize } from "../simulators/models/picture.ts";
import { startModelServer, type ModelServer } from "../simulators/models/server.ts";
import { testKey } from "../simulators/models/wire.ts";
import { chatWire } from "../simulators/models/wire-chat.ts";
import { openFakeSession } from "../support/fake-session.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
  server.next({ kind: "answer", body: chatWire.says("A form with two fields.") });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const login = { id: 1, title: "Login Form", bounds: { x: 100, y: 50, width: 400, height: 300 } };

const open = (flags: Record<string, string> = {}) =>
  openFakeSession(
    { width: 2560, height: 1600, windows: [login] },
    { tools: "all", model: "chat:llava", modelUrl: `${server.url}/v1`, modelKey: testKey, ...flags },
  );

const shown = (request = 0) => chatWire.pictures(server.received[request]?.body ?? {}).map(pictureSize);

describe("describe_screen", () => {
  test("returns the model's words, its name and its tokens, and no picture [S1-52, S3-49]", async () => {
    const { outcome } = open();
    const result = await outcome("describe_screen", { window_title: "Login", prompt: "What is it?" });
    expect(result).toMatchObject({
      kind: "done",
      data: {
        text: "A form with two fields.",
        model: "chat:llava",
        input_tokens: 120,
        output_tokens: 15,
        cached_tokens: 30,
        untrusted_text: true,
      },
      images: [],
    });
    expect(server.complaints).toEqual([]);
    expect(JSON.stringify(server.received[0]?.body)).toContain("What is it?");
    expect(shown()).toEqual([{ width: 400, height: 300 }]);
  });

  test("shows the active window alone when no area is named, and the area alone when one is [S3-23, S3-41]", async () => {
    const { call } = open();
    await call("describe_screen", {});
    await call("describe_screen", { mode: "region", x: 10, y: 20, width: 120, height: 90 });
    expect(shown()).toEqual([{ width: 400, height: 300 }]);
    expect(shown(1)).toEqual([{ width: 120, height: 90 }]);
  });

  test("sends a large screen as large as the model accepts it", async () => {
    await open().call("describe_screen", { mode: "screen" });
    const [size] = shown();
    expect(size?.width).toBeLessThanOrEqual(1280);
    expect((size?.width ?? 0) * (size?.height ?? 0)).toBeLessThanOrEqual(1_048_576);
    expect((size?.width ?? 0) / (size?.height ?? 1)).toBeCloseTo(1.6, 1);
  });

  test("asks nothing in particular when no prompt is given [S1-50]", async () => {
    await open().call("describe_screen", { mode: "screen" });
    expect(JSON.stringify(server.received[0]?.body)).toContain("Describe what you see in this screenshot");
  });

  test("without a model names the options, and looks at nothing", async () => {
    const { outcome, backend } = openFakeSession({ windows: [login] }, { tools: "all" });
    expect(await outcome("describe_screen", { mode: "screen" })).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "not_supported", hint: expect.stringMatching(/anthropic:.*take_screenshot.*ocr/) } },
    });
    expect(backend.desktop.events).toEqual([]);
  });

  test("a model that does not see does not count [S3-48]", async () => {
    const { outcome } = open({ model: "chat:deepseek-r1" });
    expect(await outcome("describe_screen", { mode: "screen" })).toMatchObject({
      kind: "failed",
      envelope: { error: { code: "not_supported" } },
    });
    expect(server.received).toEqual([]);
  });

  test("a model that refuses, and one that cannot be reached, say so without the key", async () => {
    server.next({ kind: "answer", body: chatWire.refuses(`No. ${testKey}`) });
    const { outcome } = open();
    expect(await outcome("describe_screen", { mode: "screen" })).toMatchObject({
      envelope: { error: { code: "denied", message: expect.not.stringContaining(testKey) } },
    });
  });
});

describe("ui_capture with analyze", () => {
  test("returns the words instead of the picture [S1-49, S1-50, S1-52, S1-116]", async () => {
    const { outcome } = open();
    const result = await outcome("ui_capture", { analyze: true, analyze_prompt: "Which button is red?" });
    expect(result).toMatchObject({
      kind: "done",
      data: { Success: true, Error: null, Base64Data: null, Analysis: "A form with two fields." },
      images: [],
    });
    expect(JSON.stringify(server.received[0]?.body)).toContain("Which button is red?");
  });
});
