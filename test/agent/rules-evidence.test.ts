import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const said = "<p id=said>Open the extra details and press Send</p>";
const pages = {
  sentence: `${said}<button onclick="out.textContent = 'sent'">Send</button><p id=out></p>`,
  text: "<div>Next</div><div>Back</div><p>Next comes the end</p>",
  quiet: "<button>First</button><button onclick=\"out.textContent = 'yes'\">Second</button><p id=out></p>",
  longer: "<button onclick=\"out.textContent = 'no'\">Delete all</button><p id=out></p>",
  board: `<p>Drag Tea to the shelf.</p><div draggable=true>Tea</div>`,
  typing: "<p>Type the text below.</p><label>Text <input></label><p>lorem</p>",
};

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages(pages);
  browser = await launchHeadless({ settleMs: "400" });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

async function follow(page: keyof typeof pages, goal: string) {
  await browser.call("cdp_navigate", { url: `${server.own}/${page}` });
  const { surface } = ((await browser.call("cdp_list_pages"))["pages"] as { surface: string }[])[0] ?? {};
  const { status, message, steps } = await browser.call("run_agent", { goal, model: "rules", surface });
  return { status, message: String(message), steps: (steps as { effect: string }[]).length };
}

describe("the rules refuse", () => {
  test("to click the sentence that gives the instruction", async () => {
    const { status, message, steps } = await follow("sentence", "Open the extra details and press Send");
    expect([status, steps]).toEqual(["stopped", 0]);
    expect(message).toContain('"extra details" is not visible');
  });

  test("to click a plain text, and say that it is one", async () => {
    const { status, message, steps } = await follow("text", 'click "Next"');
    expect([status, steps]).toEqual(["stopped", 0]);
    expect(message).toContain("is only a text");
  });

  test("to take a button whose name is longer than the one in quotes", async () => {
    expect(await follow("longer", 'click "Delete"')).toMatchObject({ status: "stopped", steps: 0 });
  });

  test("to drop something on the sentence that names the place", async () => {
    expect(await follow("board", "Drag Tea to the shelf.")).toMatchObject({ status: "stopped", steps: 0 });
  });

  test('to type the word "below"', async () => {
    const { status, message } = await follow("typing", "Type the text below into the Text field.");
    expect(status).toBe("stopped");
    expect(message).toContain("must be in quotation marks");
  });

  test.each([
    ["in the middle", 'click "First", then click "Second"', 2],
    ["at the end", 'click "Second", then click "First"', 2],
  ])("to call it done when a step %s had no effect, and name that step", async (_where, goal, steps) => {
    const { status, message, steps: done } = await follow("quiet", goal);
    expect([status, done]).toEqual(["stopped", steps]);
    expect(message).toContain('without a visible effect of: click "First"');
  });
});

describe("the rules follow", () => {
  test("an instruction whose controls are there, and call it done", async () => {
    expect(await follow("sentence", 'click "Send"')).toMatchObject({ status: "done", steps: 1 });
  });
});
