import { afterAll, beforeAll, expect, test } from "vitest";
import { openModel } from "../../src/agent/models/open.ts";
import { runAgent } from "../../src/agent/run.ts";
import { screenPoint, type Rect } from "../../src/base/geometry.ts";
import { toGrid, toImage } from "../../src/surface/view.ts";
import type { Session } from "../../src/tools/session.ts";
import { call, openAgentDesk, type AgentDesk } from "../support/agent.ts";
import type { Fixture } from "../support/fixture.ts";
import { pictureSize } from "../simulators/models/picture.ts";
import { startModelServer, type Received } from "../simulators/models/server.ts";
import { testKey, type Wire } from "../simulators/models/wire.ts";
import { wires } from "../simulators/models/wires.ts";

const title = "GTK3 Controls";
let desk: AgentDesk;
let app: Fixture;
let session: Session;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_controls");
  session = await desk.open();
});
afterAll(async () => {
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

const pressed = (): number => app.events.filter(({ event }) => event === "pressed").length;

/** Where the model would say the button is, from the picture it was sent and in its own coordinates. */
async function buttonIn(wire: Wire, { body }: Received): Promise<{ x: number; y: number }> {
  const image = pictureSize(wire.pictures(body).at(-1) ?? Buffer.alloc(30));
  if (image === undefined) throw new Error("no picture was sent");
  const { matches } = (await call(session, "find_text", { text: "Press me", window_title: title })) as {
    matches: readonly { x: number; y: number }[];
  };
  const { windows } = (await call(session, "list_windows", { filter: title })) as {
    windows: readonly { bounds: Rect }[];
  };
  const [button, window] = [matches[0], windows[0]];
  if (!button || !window) throw new Error("the button is not to be found");
  expect(image.width).toBeLessThan(window.bounds.width);
  const pixel = toImage({ bounds: window.bounds, image }, screenPoint(button.x, button.y));
  return wire.vendor === "gemini" ? toGrid(image, pixel) : pixel;
}

test.each(wires)(
  "an agent on the wire of $vendor presses a real button in a shrunk picture [S0-62, S0-63]",
  async (wire) => {
    await using server = await startModelServer();
    const model = openModel(`${wire.vendor}:${wire.computerModel ?? wire.plainModel}`, {
      url: `${server.url}${wire.base}`,
      key: testKey,
      env: {},
    });
    let steps = 0;
    const before = pressed();
    server.next(async (request) => {
      if (++steps > 1) {
        const done = { action: "done", done: true, why: "it was pressed" };
        return { kind: "answer", body: wire.acts?.(done) ?? wire.says(JSON.stringify(done)) };
      }
      const { x, y } = await buttonIn(wire, request);
      return { kind: "answer", body: wire.clicks?.(x, y) ?? wire.says(JSON.stringify({ action: "click", x, y })) };
    });
    const result = await runAgent(session, {
      goal: "press the button",
      model: { ...model, limits: { maxSide: 300, maxPixels: 1_000_000 } },
      where: { window: title },
    });
    expect(server.complaints).toEqual([]);
    expect(result.verdict).toMatchObject({ status: "done", evidence: { claim: "it was pressed", confirmed: 1 } });
    expect(pressed()).toBe(before + 1);
    expect(result.usage).toEqual({ input_tokens: 240, output_tokens: 30, cached_tokens: 60 });
  },
);
