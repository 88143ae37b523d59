import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callTool } from "../../src/tools/call.ts";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const canary = "c4nary-5af0";
// Nothing else on the page has this colour.
const style =
  "<style>body{margin:0;background:#fff} input{display:block;width:180px;height:24px;background:#ff00fe;border:0;padding:0}</style>";
// It does not move, so a picture without it was covered.
const marker = '<div style="position:fixed;right:0;bottom:0;width:40px;height:40px;background:#00fe00"></div>';
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
  "tall.html": `${style}<title>Tall</title>${marker}<div style="height:2000px"></div>${field}<div style="height:2000px"></div><script>
      let [to, ticks] = [1500, 0];
      scrollTo(0, 1500);
      setInterval(() => {
        if (location.search === "?pauses" && ++ticks % 14 > 4) return;
        to = to === 1500 ? 1900 : 1500; scrollTo({ top: to, behavior: "smooth" });
      }, 90);
    </script>`,
  "shaken.html": `${style}<title>Shaken</title>${marker}<style>@keyframes shake { from { transform: translate(0, 40px) } to { transform: translate(300px, 200px) } }
    form { animation: shake 160ms infinite alternate }</style><form>${field}</form>`,
  "framed.html": `${style}<title>Framed</title>${marker}<iframe src="OTHER/tall.html" width="500" height="400"></iframe>`,
  "revealed.html": `${style}<title>Revealed</title><label><input type="checkbox">Keep ${field}</label>
    <button onclick="document.querySelector('[type=password]').type = 'text'">Show</button>
    <input aria-label="Named" autocomplete="section-a new-password" value="${canary}">
    <textarea aria-label="Dotted" style="-webkit-text-security: disc; background: #ff00fe; border: 0">${canary}</textarea>`,
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

test("a field that appears later is found", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/late.html` });
  expect((await shoot()).data["masked"]).toBeUndefined();
  await browser.call("click", { x: 5, y: 5, surface: "page:1" });
  expect(await shoot()).toMatchObject({ secret: 0, data: { masked: 1 } });
});

test.each(["tall.html", "tall.html?pauses", "shaken.html", "framed.html"])(
  "not a pixel of a field that moves is in 50 pictures of %s",
  { timeout: 180_000 },
  async (page) => {
    await browser.call("cdp_navigate", { url: `${server.own}/${page}` });
    await expect.poll(async () => (await shoot()).data["masked"], { timeout: 10_000 }).toBe(1);
    let covered = 0;
    for (let shot = 0; shot < 50; shot++) {
      const { secret, plain, data } = await shoot();
      expect([shot, secret]).toEqual([shot, 0]);
      expect(plain > 0).toBe(data["covered"] !== true);
      if (data["covered"] === true) covered++;
    }
    if (page.endsWith("?pauses")) expect(covered).toBeLessThan(50);
    else expect(covered).toBeGreaterThan(25);
  },
);

test("a field that shows its content on request, or is dotted by style, still counts", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/revealed.html` });
  expect(await shoot()).toMatchObject({ secret: 0, data: { masked: 3 } });
  const shown = await browser.call("cdp_click", { uid: await browser.find("Show") });
  const answers = [
    shown,
    await browser.call("cdp_take_dom_snapshot"),
    await browser.call("take_ax_snapshot", { surface: "page:1", format: "json" }),
    await browser.call("cdp_find_elements", { query: "Keep" }),
  ];
  expect(JSON.stringify(answers)).toContain("Keep");
  expect(JSON.stringify(answers)).not.toContain(canary);
  expect(await shoot()).toMatchObject({ secret: 0, data: { masked: 3 } });
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
