import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../src/tools/call.ts";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const canary = "c4nary-5af0";
// Nothing else on the page has it.
const style =
  "<style>body{margin:0;background:#fff} input{display:block;width:180px;height:24px;background:#ff00fe;border:0;padding:0}</style>";
const field = `<input type="password" value="${canary}">`;
const pages = {
  "login.html": `${style}<title>Sign in</title><label>Name<input aria-label="Name" value="Ann" style="background:#00fe00"></label>
    ${field}<div id="open"></div><div id="closed"></div>
    <iframe src="OWN/frame.html" width="300" height="60"></iframe><iframe src="OTHER/frame.html" width="300" height="60"></iframe>
    <script>
      for (const mode of ["open", "closed"]) document.getElementById(mode).attachShadow({ mode }).innerHTML = '${style}${field}';
    </script>`,
  "frame.html": `${style}${field}`,
  "late.html": `${style}<title>Late</title><p>nothing</p><script>
      addEventListener("click", () => { document.body.insertAdjacentHTML("beforeend", '${field}'); });
    </script>`,
  "tall.html": `${style}<title>Tall</title><div style="height:2000px"></div>${field}<div style="height:2000px"></div><script>
      let to = 1500; setInterval(() => { to = to === 1500 ? 1900 : 1500; scrollTo({ top: to, behavior: "smooth" }); }, 700);
    </script>`,
};

let server: PageServer;
let browser: BrowserSession;
beforeAll(async () => {
  server = await servePages(pages);
  browser = await launchHeadless();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

async function shoot(args: object = {}) {
  const request = { mode: "window", format: "png", max_side: 8_000, surface: "page:1", ...args };
  const result = await callTool(browser.session, { tool: "take_screenshot", arguments: request, canAsk: false });
  if (result.kind !== "done") throw new Error(JSON.stringify(result));
  const { data, info } = await sharp(result.images[0]?.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const count = (red: number, green: number, blue: number) => {
    let found = 0;
    for (let at = 0; at < data.length; at += info.channels)
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) found++;
    return found;
  };
  return { data: result.data, secret: count(0xff, 0, 0xfe), plain: count(0, 0xfe, 0), black: count(0, 0, 0) };
}

test("password fields of a page are painted over, in frames and shadow roots too, and nothing else is", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/login.html` });
  await expect.poll(async () => (await shoot()).data["masked"], { timeout: 10_000 }).toBe(5);
  const { secret, plain, black } = await shoot();
  expect(secret).toBe(0);
  expect(plain).toBeGreaterThan(1_000);
  expect(black).toBeGreaterThanOrEqual(5 * 180 * 24);
  const region = await shoot({ mode: "region", x: 10, y: 0, width: 400, height: 300 });
  expect(region.secret).toBe(0);
});

test("no snapshot, search or text of the page has their values", async () => {
  const answers = [
    await browser.call("cdp_take_dom_snapshot"),
    await browser.call("take_ax_snapshot", { surface: "page:1", format: "json" }),
    await browser.call("cdp_find_elements", { query: canary }),
    await browser.call("find_elements", { role: "textbox", surface: "page:1" }),
    await browser.call("describe_screen", { surface: "page:1" }).catch((error: unknown) => error),
  ];
  expect(JSON.stringify(answers[0])).toContain("Ann");
  for (const answer of answers.filter((_, index) => index !== 2)) expect(JSON.stringify(answer)).not.toContain(canary);
  expect(answers[2]).toMatchObject({ matches: [] });
});

test("a field that comes later is found, and one that is scrolled is covered wherever it is", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/late.html` });
  expect((await shoot()).data["masked"]).toBeUndefined();
  await browser.call("click", { x: 5, y: 5, surface: "page:1" });
  expect(await shoot()).toMatchObject({ secret: 0, data: { masked: 1 } });
  await browser.call("cdp_navigate", { url: `${server.own}/tall.html` });
  let masked = 0;
  for (let shot = 0; shot < 20; shot++) {
    const { secret, data } = await shoot();
    expect(secret).toBe(0);
    if (data["masked"] !== undefined) masked++;
  }
  expect(masked).toBeGreaterThan(5);
});

test("without the mask the colour would be there", async () => {
  await using open = await launchHeadless({ rules: await writeRules() });
  const guarded = browser;
  browser = open;
  try {
    await open.call("cdp_navigate", { url: `${server.own}/login.html` });
    expect((await shoot()).secret).toBeGreaterThan(1_000);
  } finally {
    browser = guarded;
  }
});

async function writeRules(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "handsight-rules-")), "policy.json");
  await writeFile(file, '{"maskPasswordFields": false}');
  return file;
}
