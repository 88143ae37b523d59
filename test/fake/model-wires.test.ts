import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentAction } from "../../src/agent/action.ts";
import { MalformedAnswer, type Observation, type PastStep, type Turn } from "../../src/agent/model.ts";
import { openModel, type ModelSettings } from "../../src/agent/models/open.ts";
import { imagePoint, type Size } from "../../src/base/geometry.ts";
import { fromGrid, toGrid } from "../../src/surface/view.ts";
import { greyPng, pictureSize } from "../simulators/models/picture.ts";
import { startModelServer, type ModelServer } from "../simulators/models/server.ts";
import { testKey, type Wire } from "../simulators/models/wire.ts";
import { wires } from "../simulators/models/wires.ts";

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

const patience = { pauseMs: 1, timeoutMs: 5_000, attempts: 4, longestPauseMs: 2_000 };

function open(wire: Wire, model: string, more: Partial<ModelSettings> = {}) {
  return openModel(`${wire.vendor}:${model}`, {
    url: `${server.url}${wire.base}`,
    key: testKey,
    env: {},
    patience,
    ...more,
  });
}

const look = (size: Size = { width: 200, height: 100 }, place = "Notes"): Observation => ({
  picture: { data: greyPng(size.width, size.height), mimeType: "image/png", size },
  outline: '1 Button "Save"',
  place,
});

const turn = (more: Partial<Turn> = {}): Turn => ({
  goal: "save the note",
  observation: look(),
  history: [],
  repair: undefined,
  signal: new AbortController().signal,
  ...more,
});

const click = JSON.stringify({ action: "click", x: 10, y: 20, why: "to save", confidence: 0.9 });
const answer = (body: unknown) => ({ kind: "answer", body }) as const;
const used = { inputTokens: 120, outputTokens: 15, cachedTokens: 30 };
/** Where the JSON above clicks, in pixels, for models with this vendor's coordinates. */
const clicked = (wire: Wire) =>
  wire.vendor === "gemini" ? fromGrid({ width: 200, height: 100 }, { x: 10, y: 20 }) : { x: 10, y: 20 };

describe.each(wires)("on the wire of $vendor", (wire) => {
  test("an answer in JSON becomes an action, with its tokens [S0-61, S0-64, S3-16]", async () => {
    server.next(answer(wire.says(click)));
    const decision = await open(wire, wire.plainModel).next(turn());
    expect(server.complaints).toEqual([]);
    expect(decision.actions).toEqual([{ action: "click", why: "to save", confidence: 0.9, ...clicked(wire) }]);
    expect(decision.usage).toEqual(used);
    const [request] = server.received;
    const sent = JSON.stringify(request?.body);
    expect(sent).toContain("save the note");
    for (const constraint of ["one JSON object and nothing else", "the window you work on", "action: click, type,"]) {
      expect(sent).toContain(constraint);
    }
    expect(wire.pictures(request?.body ?? {}).map((picture) => pictureSize(picture))).toEqual([
      { width: 200, height: 100 },
    ]);
  });

  test("neither the key nor a picture is in what is kept for the run folder [S0-75]", async () => {
    server.next(answer(wire.says(click)));
    const { prompt, answer: kept } = await open(wire, wire.plainModel).next(
      turn({ observation: look({ width: 900, height: 700 }) }),
    );
    const text = JSON.stringify({ prompt, kept });
    expect(text).toContain("save the note");
    expect(text).toContain("characters of base64");
    expect(text).not.toContain(testKey);
    expect(text.length).toBeLessThan(8_000);
  });

  test("words that are not an action are malformed, and the second answer is requested with the reason [S0-69]", async () => {
    const model = open(wire, wire.plainModel);
    server.next(answer(wire.says("I would click on Save.")), answer(wire.says(`\`\`\`json\n${click}\n\`\`\``)));
    const failed = await model.next(turn()).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MalformedAnswer);
    const { answer: said, message, usage } = failed as MalformedAnswer;
    expect(said).toBe("I would click on Save.");
    expect(usage).toEqual(used);
    const { actions } = await model.next(turn({ repair: { answer: said, problem: message } }));
    expect(actions[0]?.action).toBe("click");
    expect(server.complaints).toEqual([]);
    expect(JSON.stringify(server.received[1]?.body)).toContain("The answer contains no JSON object.");
  });

  test("an action with a field out of range is malformed, and the field is named", async () => {
    server.next(answer(wire.says('{"action":"click","x":1,"y":2,"confidence":7}')));
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toThrow(/confidence/);
  });

  test("an answer that was cut off is malformed", async () => {
    server.next(answer(wire.isCutOff('{"action":"cl')));
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toThrow(/cut off/);
  });

  test("a refusal ends with the model's reason", async () => {
    server.next(answer(wire.refuses("I will not help with that.")));
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining("I will not help with that."),
    });
  });

  test("after too many requests it retries when the server says", async () => {
    server.next({ kind: "fail", status: 429, ...wire.rateLimit(0.3) }, answer(wire.says(click)));
    const started = performance.now();
    await open(wire, wire.plainModel).next(turn());
    expect(server.received).toHaveLength(2);
    // Our own pause would have ended after a millisecond.
    expect(performance.now() - started).toBeGreaterThanOrEqual(290);
  });

  test("a pause that is too long is reported instead of waited for", async () => {
    server.next({ kind: "fail", status: 429, ...wire.rateLimit(120) });
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toMatchObject({
      code: "rate_limited",
      details: { retryAfterMs: 120_000 },
    });
    expect(server.received).toHaveLength(1);
  });

  test.each([500, 503, 529])("a %i is retried a few times", async (status) => {
    const broken = { kind: "fail", status, body: wire.error(status, "Overloaded") } as const;
    server.next(broken, broken, answer(wire.says(click)));
    await expect(open(wire, wire.plainModel).next(turn())).resolves.toMatchObject({ usage: used });
    server.next(broken);
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toMatchObject({
      code: "not_connected",
      message: expect.stringContaining(`${status} after 4 attempts: Overloaded`),
    });
    expect(server.received).toHaveLength(7);
  });

  test("a broken connection is retried", async () => {
    server.next({ kind: "hangUp" }, answer(wire.says(click)));
    await expect(open(wire, wire.plainModel).next(turn())).resolves.toMatchObject({ usage: used });
  });

  test("an answer that comes in slowly is whole when it is read", async () => {
    server.next({ kind: "dribble", body: wire.says(click), pieces: 20, everyMs: 5 });
    await expect(open(wire, wire.plainModel).next(turn())).resolves.toMatchObject({ usage: used });
  });

  test("an answer that never ends runs into the time limit, and its socket is closed", async () => {
    server.next({ kind: "dribble", body: wire.says(click), pieces: 1_000, everyMs: 50 });
    const slow = open(wire, wire.plainModel, { patience: { ...patience, timeoutMs: 150 } });
    await expect(slow.next(turn())).rejects.toMatchObject({ code: "timeout" });
    await server.abandoned;
  });

  test("abort closes the socket", async () => {
    const stop = new AbortController();
    server.next(() => {
      setImmediate(() => stop.abort());
      return { kind: "hang" };
    });
    await expect(open(wire, wire.plainModel).next(turn({ signal: stop.signal }))).rejects.toMatchObject({
      code: "cancelled",
    });
    await server.abandoned;
  });

  test("a picture the vendor refuses says which limit to lower, and is not sent again", async () => {
    const huge = look({ width: 9_000, height: 10 });
    server.next(answer(wire.says(click)));
    await expect(open(wire, wire.plainModel).next(turn({ observation: huge }))).rejects.toMatchObject({
      code: "invalid_argument",
      details: { hint: expect.stringContaining("maxSide") },
    });
    expect(server.received).toHaveLength(1);
  });

  test("a wrong key says where the key comes from, without showing it", async () => {
    const wrong = "sk-wrong-9876543210";
    const failed = (await open(wire, wire.plainModel, { key: wrong })
      .next(turn())
      .catch((error: unknown) => error)) as Error & { details: { hint: string } };
    expect(failed).toMatchObject({ code: "permission_missing" });
    expect(failed.details.hint).toContain("HANDSIGHT_MODEL_KEY");
    expect(`${failed.message}${failed.stack}`).toContain("[key]");
    expect(`${failed.message}${failed.stack}`).not.toContain(wrong);
  });

  test("an answer that is not a model's is reported as such", async () => {
    server.next({ kind: "raw", text: "<html>Sign in to the network</html>" });
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toMatchObject({ code: "not_connected" });
    server.next(answer({ hello: "world" }));
    await expect(open(wire, wire.plainModel).next(turn())).rejects.toMatchObject({
      message: expect.stringContaining("not in the format of"),
    });
  });

  test("a question about a picture is answered in words [S3-49]", async () => {
    server.next(answer(wire.says("A calculator showing 4.")));
    const { picture } = look();
    const described = await open(wire, wire.plainModel).describe?.(
      picture ?? fail(),
      "What does it show?",
      new AbortController().signal,
    );
    expect(described).toMatchObject({ text: "A calculator showing 4.", usage: used });
    expect(server.complaints).toEqual([]);
    expect(JSON.stringify(server.received[0]?.body)).toContain("What does it show?");
  });

  test("a model that does not see is never sent a picture [S3-48]", async () => {
    const model = open(wire, wire.plainModel, { sees: false });
    server.next(answer(wire.says('{"action":"click","ref":"a1g1"}')));
    await model.next(turn({ history: [past({ memory: undefined, actions: [{ action: "click", ref: "a2g1" }] })] }));
    expect(server.complaints).toEqual([]);
    expect(wire.pictures(server.received[0]?.body ?? {})).toEqual([]);
    expect(model).toMatchObject({ sees: false });
    expect(model).not.toHaveProperty("describe");
  });

  test("pictures of old steps that the loop dropped are not sent", async () => {
    server.next(answer(wire.says(click)));
    const history = [
      past({ keepsPicture: false, outcome: "no change" }),
      past({ keepsPicture: true, observation: look({ width: 60, height: 40 }), outcome: "a dialog came up" }),
    ];
    await open(wire, wire.plainModel).next(turn({ history }));
    expect(server.complaints).toEqual([]);
    const body = server.received[0]?.body ?? {};
    expect(wire.pictures(body).map((picture) => pictureSize(picture)?.width)).toEqual([60, 200]);
    expect(JSON.stringify(body)).toContain("a dialog came up");
  });
});

test("OpenAI's older computer tool gets the desktop's operating system", async () => {
  const wire = wires.find(({ vendor }) => vendor === "openai") ?? fail();
  server.next(answer(wire.says(click)));
  const asked = open(wire, "computer-use-preview", { system: "mac" }).next(turn());
  // This model is expected to make a call, which does not matter here.
  await expect(asked).rejects.toThrow(MalformedAnswer);
  expect(server.received[0]?.body).toMatchObject({ tools: [{ environment: "mac" }, {}] });
});

function fail(): never {
  throw new Error("there is no picture");
}

const past = (more: Partial<PastStep>): PastStep => ({
  observation: look(),
  keepsPicture: true,
  actions: [{ action: "click", x: 1, y: 2 }],
  outcome: "confirmed",
  memory: undefined,
  ...more,
});

const computers = wires.flatMap((wire) =>
  wire.computerModel === undefined ? [] : [{ ...wire, model: wire.computerModel }],
);

describe.each(computers)("with the computer tool of $vendor", (wire) => {
  const inPixels = (size: Size, x: number, y: number) =>
    wire.vendor === "gemini" ? fromGrid(size, { x, y }) : { x, y };

  test("the vendor's click becomes our click", async () => {
    server.next(answer(wire.clicks?.(50, 60)));
    const { actions, usage } = await open(wire, wire.model).next(turn());
    expect(server.complaints).toEqual([]);
    expect(usage).toEqual(used);
    expect(actions).toMatchObject([{ action: "click", ...inPixels({ width: 200, height: 100 }, 50, 60) }]);
  });

  test("any pixel of any picture comes back as that pixel, or the centre of its grid cell", async () => {
    const sides = fc.record({ width: fc.integer({ min: 1, max: 1600 }), height: fc.integer({ min: 1, max: 1000 }) });
    const part = fc.double({ min: 0, max: 0.9999, noNaN: true });
    const model = open(wire, wire.model);
    const blank = greyPng(1, 1);
    await fc.assert(
      fc.asyncProperty(sides, part, part, async (size, u, v) => {
        const pixel = imagePoint(Math.floor(u * size.width), Math.floor(v * size.height));
        const told = wire.vendor === "gemini" ? toGrid(size, pixel) : pixel;
        server.next(answer(wire.clicks?.(told.x, told.y)));
        const picture = { data: blank, mimeType: "image/png", size };
        const { actions } = await model.next(turn({ observation: { ...look(), picture } }));
        const { x = -1, y = -1 } = actions[0] as { x?: number; y?: number };
        const [missX, missY] =
          wire.vendor === "gemini" ? [Math.ceil(size.width / 2000), Math.ceil(size.height / 2000)] : [0, 0];
        expect(Math.abs(x - pixel.x)).toBeLessThanOrEqual(size.width <= 1000 ? 0 : missX);
        expect(Math.abs(y - pixel.y)).toBeLessThanOrEqual(size.height <= 1000 ? 0 : missY);
      }),
      { numRuns: 40 },
    );
  });

  test("a call of act names what only the outline knows", async () => {
    const act: AgentAction = { action: "click", region: 3, why: "the third button" };
    server.next(answer(wire.acts?.(act)));
    const { actions } = await open(wire, wire.model).next(turn());
    expect(actions).toEqual([act]);
    expect(server.complaints).toEqual([]);
  });

  test("a conversation continues with the vendor's own calls and their results", async () => {
    const model = open(wire, wire.model);
    const history: PastStep[] = [];
    for (const body of [wire.clicks?.(5, 6), wire.acts?.({ action: "type", text: "hi" }), wire.clicks?.(7, 8)]) {
      server.next(answer(body));
      const { actions, memory } = await model.next(turn({ history }));
      history.push(past({ actions, memory, outcome: `outcome ${history.length}` }));
    }
    server.next(answer(wire.acts?.({ action: "done", why: "the title changed" })));
    const dropped = history.map((step, index) => ({ ...step, keepsPicture: index === history.length - 1 }));
    const { actions } = await model.next(turn({ history: dropped }));
    expect(server.complaints).toEqual([]);
    expect(actions).toEqual([{ action: "done", why: "the title changed" }]);
    const last = server.received.at(-1)?.body ?? {};
    expect(wire.pictures(last)).toHaveLength(2);
    for (const outcome of ["outcome 0", "outcome 1", "outcome 2"]) expect(JSON.stringify(last)).toContain(outcome);
  });

  test("words without a call do not count as the end", async () => {
    const model = open(wire, wire.model);
    server.next(answer(wire.says("All done!")), answer(wire.acts?.({ action: "done" })));
    const failed = (await model.next(turn()).catch((error: unknown) => error)) as MalformedAnswer;
    expect(failed).toBeInstanceOf(MalformedAnswer);
    const repair = { answer: failed.answer, problem: failed.message };
    await expect(model.next(turn({ repair }))).resolves.toMatchObject({ actions: [{ action: "done" }] });
    expect(server.complaints).toEqual([]);
  });

  test("without a picture it is asked for JSON", async () => {
    server.next(answer(wire.says('{"action":"noop"}')));
    const { actions } = await open(wire, wire.model).next(turn({ observation: { ...look(), picture: undefined } }));
    expect(actions).toEqual([{ action: "noop" }]);
    expect(server.received[0]?.body).not.toHaveProperty("tools");
    expect(server.complaints).toEqual([]);
  });
});

test.each(computers.filter((wire) => "asksFirst" in wire))(
  "what $vendor wants confirmed is passed on, and acknowledged once it was done",
  async (wire) => {
    const model = open(wire, wire.model);
    server.next(answer(wire.asksFirst?.("This looks like a payment.")));
    const { actions, memory, mustConfirm } = await model.next(turn());
    expect(mustConfirm).toEqual(["This looks like a payment."]);
    expect(actions).toMatchObject([{ action: "click" }]);
    server.next(answer(wire.acts?.({ action: "done" })));
    await model.next(turn({ history: [past({ actions, memory })] }));
    expect(server.complaints).toEqual([]);
  },
);
