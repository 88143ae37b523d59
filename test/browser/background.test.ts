import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const page = `<title>Behind</title><canvas id=board width=200 height=100></canvas><button>Dead</button>
  <script>
    let size = 0;
    board.onclick = () => board.getContext("2d").fillRect(0, 0, (size += 20), 50);
  </script>`;
const surface = "page:1";

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages({ page });
  browser = await launchHeadless();
  await browser.call("cdp_navigate", { url: `${server.own}/page` });
  await browser.call("cdp_new_page", { url: "about:blank" });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

const press = async (selector: string) => {
  const { elements } = await browser.call("find_elements", { surface, selector });
  return browser.call("click", { surface, uid: (elements as { uid: string }[])[0]?.uid });
};

// Its pictures did not come within ten seconds, so nothing was known about what they show.
test("what a click draws in a background tab is seen each time, and what draws nothing changes nothing", async () => {
  for (let round = 0; round < 3; round++) {
    expect(await press("#board"), `round ${round}`).toMatchObject({
      effect: "confirmed",
      changes: { pixels: { ratio: expect.any(Number) as number } },
    });
  }
  expect(await press('Button:"Dead"')).toMatchObject({ effect: "no_change" });
});
