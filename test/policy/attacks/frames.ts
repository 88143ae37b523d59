import sharp from "sharp";
import { expect } from "vitest";
import type { PageServer } from "../../support/browser.ts";
import { doorNames, type DoorName } from "../../support/doors.ts";
import type { Data, Visitor } from "../../support/visitor.ts";
import type { Attack } from "./attack.ts";
import { blockedColour, canary, inField, inFrame } from "./frame-pages.ts";

export interface FrameStage {
  readonly server: PageServer;
  /** Held to the rules, at the door of the row. */
  readonly guarded: Visitor;
  /** The same browser, held to other rules that block the same, without the mask of password fields. */
  readonly unmasked: Visitor;
  /** The same browser in the hands of a person: sees and does everything. */
  readonly person: Visitor;
}

export interface FrameAttack extends Attack<FrameStage> {
  /** Where it comes in; over MCP if nothing is said. */
  readonly by?: DoorName;
}

const surface = "page:1";

/** Whatever an attack that was not held has left behind must not decide about the next one. */
export async function tidy({ person }: Pick<FrameStage, "person">): Promise<void> {
  await answer(person.call("cdp_handle_dialog", { action: "dismiss" }));
  for (;;) {
    const { pages } = await person.call("cdp_list_pages");
    if ((pages as unknown[]).length === 1) return;
    await person.call("cdp_close_page", { page_idx: 1 });
  }
}

async function show({ person, server }: FrameStage, page: string): Promise<void> {
  await person.call("cdp_navigate", { url: `${server.own}/${page}` });
  await person.call("cdp_wait_for", { text: [`${canary} text`], timeout: 10_000 });
}

const told = (value: unknown): string => JSON.stringify(value instanceof Error ? value.message : value);
const answer = (work: Promise<Data>): Promise<unknown> => work.catch((error: unknown) => error);

async function expectHidden(stage: FrameStage, tool: string, args: object = {}): Promise<string> {
  const text = told(await answer(stage.guarded.call(tool, args)));
  expect(text).not.toContain(canary);
  expect(text).not.toMatch(/secret[.-]|the vault/i);
  return text;
}

async function expectDenied({ guarded }: FrameStage, tool: string, args: object = {}): Promise<void> {
  const error = await guarded.fails(tool, args);
  expect(error, told(error)).toMatchObject({ code: "denied" });
  expect(told(error)).not.toMatch(new RegExp(`${canary}|127\\.0|localhost|The Vault`));
}

/** What the frame itself says has reached it. */
async function expectLeftAlone({ person }: FrameStage, by = "reached by"): Promise<void> {
  const { matches } = await person.call("cdp_find_elements", { query: "left alone" });
  const [log] = matches as { name: string }[];
  expect(log?.name).toContain("left alone");
  expect(log?.name).not.toContain(by);
}

const blockedPixels = (visitor: Visitor, args: object = {}) => countPixels(visitor, blockedColour, args);
/** Of the page around the frame: a picture that is covered as a whole has none. */
const plainPixels = (visitor: Visitor) => countPixels(visitor, [0xff, 0xff, 0xff]);

async function countPixels(visitor: Visitor, colour: readonly number[], args: object = {}): Promise<number> {
  const request = { mode: "window", format: "png", max_side: 8_000, surface, ...args };
  const picture = await visitor.picture("take_screenshot", request);
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  let found = 0;
  for (let at = 0; at < data.length; at += info.channels)
    if (colour.every((value, index) => data[at + index] === value)) found++;
  return found;
}

type Step = (stage: FrameStage) => Promise<void>;

const all =
  (steps: readonly Step[]): Step =>
  async (stage) => {
    for (const step of steps) await step(stage);
  };

/** Every way to read a page. */
const reading: readonly Step[] = [
  async (stage) => expect(await expectHidden(stage, "cdp_take_dom_snapshot")).toContain("Plain words"),
  async (stage) =>
    expect(await expectHidden(stage, "take_ax_snapshot", { surface, format: "json" })).toContain("Plain words"),
  async ({ guarded }) =>
    expect(await guarded.call("cdp_find_elements", { query: canary })).toMatchObject({ matches: [], total: 0 }),
  async (stage) => void (await expectHidden(stage, "find_elements", { role: "button", surface })),
  async (stage) => void (await expectHidden(stage, "element_at_point", { ...inFrame, surface })),
];
const readAll = all(reading);

const shooting: readonly Step[] = [
  async ({ guarded }) => {
    expect(await blockedPixels(guarded)).toBe(0);
    expect(await plainPixels(guarded)).toBeGreaterThan(10_000);
  },
  async ({ guarded }) =>
    expect(await blockedPixels(guarded, { mode: "region", x: 100, y: 120, width: 150, height: 100 })).toBe(0),
];
/** There is something to hide: a person sees it. */
const isDrawn: Step = async ({ person }) => expect(await blockedPixels(person)).toBeGreaterThan(1_000);
const shootAll = all([isDrawn, ...shooting]);

const pointing: readonly Step[] = [
  (stage) => expectDenied(stage, "click", { ...inFrame, surface }),
  (stage) => expectDenied(stage, "scroll", { ...inFrame, direction: "down", surface }),
  (stage) => expectDenied(stage, "move_mouse", { ...inFrame, surface }),
];

/** A person has clicked into the frame, and left the keyboard there. */
const isFocused: Step = async ({ person }) => {
  await person.call("click", { ...inField, surface });
  await expect.poll(async () => told(await person.call("get_focused_element", { surface }))).toContain(canary);
};
const typing: readonly Step[] = [
  (stage) => expectDenied(stage, "cdp_type_text", { text: "abc" }),
  (stage) => expectDenied(stage, "cdp_press_key", { key: "Enter" }),
  (stage) => expectDenied(stage, "type_text", { text: "abc", surface }),
  (stage) => expectDenied(stage, "press_key", { key: "a", surface }),
  async (stage) => void (await expectHidden(stage, "get_focused_element", { surface })),
];
const isUntyped: Step = async (stage) => {
  await expectLeftAlone(stage, "reached by keydown");
  await expectLeftAlone(stage, "reached by input");
};

const kinds: Readonly<Record<string, string>> = {
  "own.html": "a frame of the page's own site",
  "other.html": "a frame of another process",
  "own-vault.html": "a frame with a blocked title",
  "other-vault.html": "a frame of another process with a blocked title",
  "srcdoc.html": "a frame that is written into the page, with a blocked title",
  "redirected.html": "a frame that was sent on twice",
  "object.html": "an object",
  "frameset.html": "a frame of a frameset",
  "shadow.html": "a frame in a closed shadow root",
  "nested.html": "a frame in an allowed frame",
  "scaled.html": "a frame in an allowed frame that is drawn larger",
  "around-open.html": "an allowed frame in a blocked one",
  "around-srcdoc.html": "a written frame in a blocked one",
  "around-data.html": "a data: frame in a blocked one",
  "around-blob.html": "a blob: frame in a blocked one",
  "around-blank.html": "an empty frame that a blocked one has filled",
  "lent.html": "an empty frame that a blocked one beside it has filled",
};

interface Way {
  readonly before?: Step;
  readonly steps: readonly Step[];
  readonly after?: Step;
}

const ways: Readonly<Record<string, Way>> = {
  "is read": { steps: reading },
  "is photographed": { before: isDrawn, steps: shooting },
  "is pointed at": { steps: pointing, after: (stage) => expectLeftAlone(stage) },
  "is typed into": { before: isFocused, steps: typing, after: isUntyped },
};

/** Most over MCP: the other doors lead to the same call, and a process for each takes seconds. */
const doors: readonly DoorName[] = ["MCP", "HTTP", "MCP", "MCP", "HTTP", "MCP", "MCP", "CLI"];

const every: readonly FrameAttack[] = Object.entries(kinds).flatMap(([page, kind], row) =>
  Object.entries(ways).map(([how, { before, steps, after }], at) => {
    const by = doors[(row + at) % doors.length] ?? "MCP";
    // A call of the command line is a process, so that each row makes one, and another each time.
    const made = by === "CLI" ? steps.filter((_step, index) => index === row % steps.length) : steps;
    return {
      name: `${kind} ${how}`,
      by,
      async run(stage: FrameStage) {
        if (at === 0) await show(stage, page);
        await before?.(stage);
        await all(made)(stage);
        await after?.(stage);
      },
    };
  }),
);

const on = (page: string, name: string, run: Step): FrameAttack => ({
  name,
  async run(stage) {
    await show(stage, page);
    await run(stage);
  },
});

/** Clicks a button of the page that tells the frame to do something, and gives what was seen of it. */
async function tell({ guarded, server }: FrameStage, page: string, what: string): Promise<unknown> {
  await guarded.call("cdp_navigate", { url: `${server.own}/${page}#${what}` });
  return answer(guarded.call("cdp_click", { uid: await guarded.find("Tell", "button") }));
}

const byUid: readonly (readonly [string, object])[] = [
  ["cdp_click", {}],
  ["cdp_hover", {}],
  ["cdp_fill", { value: "abc" }],
  ["click", { surface }],
  ["act", { action: "click", surface }],
  ["read_text", { surface }],
  ["cdp_evaluate_script", { function: "(element) => element.value" }],
];

/** A frame shows itself as long as it is allowed, and what was seen of it then is used when it no longer is. */
const turns: readonly (readonly [page: string, told: string, tools: readonly string[]])[] = [
  ["turning.html", "title", byUid.map(([tool]) => tool)],
  ["turning-other.html", "title", byUid.map(([tool]) => tool)],
  ["turning.html", "go", ["cdp_click"]],
  ["turning-other.html", "go", ["cdp_click"]],
];
const old: readonly FrameAttack[] = turns.flatMap(([page, what, tools], row) => {
  let uid = "";
  return byUid
    .filter(([tool]) => tools.includes(tool))
    .map(([tool, args], index) => ({
      name: `${tool} with an old uid on ${page} after its ${what === "go" ? "address" : "title"} has changed`,
      by: row % 2 === 0 ? ("MCP" as const) : ("HTTP" as const),
      async run(stage: FrameStage) {
        const { guarded } = stage;
        if (index === 0) {
          await show(stage, page);
          uid = await guarded.find(`${canary} field`, "textbox");
          await tell(stage, page, what);
          const read = async () => told(await guarded.call("cdp_take_dom_snapshot"));
          await expect.poll(read, { timeout: 5_000 }).not.toContain(canary);
          await stage.person.call("cdp_wait_for", { text: [`${canary} text`] });
        }
        const target = tool === "cdp_evaluate_script" ? { args: [{ uid }] } : { uid };
        const error = await guarded.fails(tool, { ...args, ...target });
        // The tools of every surface know the elements of their last snapshot alone; a new document has none of the old ones.
        const gone = tool.startsWith("cdp_") ? "snapshot_expired" : "uid_not_found";
        const codes = tool.startsWith("cdp_") && what === "title" ? ["denied"] : ["denied", gone];
        expect(codes, told(error)).toContain(error.code);
        expect(told(error)).not.toContain(canary);
        await expectLeftAlone(stage);
      },
    }));
});

const others: readonly FrameAttack[] = [
  on("own.html", "cdp_wait_for finds a text of it", async (stage) => {
    const error = await stage.guarded.fails("cdp_wait_for", { text: [`${canary} text`], timeout: 300 });
    expect(error.code).toBe("timeout");
  }),
  on("other.html", "wait_for finds an element of it", async (stage) => {
    const wanted = { condition: "element", selector: `Button:${canary} asks`, timeout_ms: 300, surface };
    const error = await stage.guarded.fails("wait_for", wanted);
    expect(error.code).toBe("timeout");
  }),
  on("own.html", "cdp_element_at_point", async (stage) => {
    await expectDenied(stage, "cdp_element_at_point", inFrame);
  }),
  on("own.html", "words of it are read from the picture", async (stage) => {
    expect(await expectHidden(stage, "ocr", { mode: "window", surface })).toMatch(/Plain/);
    await expectHidden(stage, "mark_regions", { mode: "window", surface, include_image: false });
  }),
  on("own.html", "a drag ends in it", async (stage) => {
    await expectDenied(stage, "drag", { start_x: 450, start_y: 60, end_x: inFrame.x, end_y: inFrame.y, surface });
    await expectLeftAlone(stage, "reached by pointerup");
  }),
  on("other.html", "half a pixel inside its edge", async (stage) => {
    await expectDenied(stage, "click", { x: 20.2, y: 150.4, surface });
    await expectLeftAlone(stage);
  }),
  on("own.html", "a tab leads into it in the middle of a text", async (stage) => {
    await stage.guarded.call("cdp_click", { uid: await stage.guarded.find("Outside", "textbox") });
    await expectDenied(stage, "cdp_type_text", { text: "a\t\t\tbc" });
    await expectLeftAlone(stage, "reached by keydown");
  }),
  on("own.html", "a script of its own site reads it", async (stage) => {
    await expectDenied(stage, "cdp_evaluate_script", { function: "() => frames[0].document.body.innerText" });
  }),
  on("own-vault.html", "a script of its own site reads one with a blocked title", async (stage) => {
    await expectDenied(stage, "cdp_evaluate_script", { function: "() => frames[0].document.body.innerText" });
  }),
  on("turning.html", "a script opens one and reads it", async (stage) => {
    const code = `async () => {
      const frame = Object.assign(document.createElement("iframe"), { src: "/secret.html" });
      document.body.append(frame);
      await new Promise((resolve) => { frame.onload = resolve; });
      return frame.contentDocument.body.innerText;
    }`;
    await expectDenied(stage, "cdp_evaluate_script", { function: code });
  }),
  ...["own-vault.html", "other.html"].flatMap((page) => [
    on(page, `what changes in it, on ${page}`, async (stage) => {
      expect(told(await tell(stage, page, "change"))).not.toContain(canary);
      await stage.person.call("cdp_wait_for", { text: [`${canary} new`] });
      await readAll(stage);
    }),
    on(page, `its errors and failed requests, on ${page}`, async (stage) => {
      expect(told(await tell(stage, page, "error"))).not.toContain(canary);
      for (let look = 0; look < 3; look++) await expectHidden(stage, "cdp_take_dom_snapshot");
    }),
    on(page, `the name of its download, on ${page}`, async (stage) => {
      expect(told(await tell(stage, page, "load"))).not.toContain(canary);
      await expectHidden(stage, "cdp_take_dom_snapshot");
    }),
    on(page, `the words of its dialog, and the answer to it, on ${page}`, async (stage) => {
      expect(told(await tell(stage, page, "ask"))).not.toContain(canary);
      await expect
        .poll(async () => told(await answer(stage.guarded.call("cdp_take_dom_snapshot"))), { timeout: 5_000 })
        .toContain("confirm");
      await expectHidden(stage, "cdp_take_dom_snapshot");
      await expectDenied(stage, "cdp_handle_dialog", { action: "accept" });
      await expectHidden(stage, "cdp_handle_dialog", { action: "dismiss" });
      await readAll(stage);
    }),
  ]),
  on("turning.html", "the address it is sent to", async (stage) => {
    const seen = told(await stage.guarded.call("cdp_click", { uid: await stage.guarded.find("Send", "button") }));
    expect(seen).not.toContain("secret");
  }),
  on("turning.html", "it goes to a blocked address between the picture and the click", async (stage) => {
    const { screenshot_id } = await stage.guarded.call("take_screenshot", { mode: "window", surface });
    await stage.person.call("cdp_click", { uid: await stage.person.find("Send", "button") });
    const isBlocked = async () => told(await stage.guarded.call("cdp_take_dom_snapshot")).includes(canary);
    await expect.poll(isBlocked, { timeout: 5_000 }).toBe(false);
    await stage.person.call("cdp_wait_for", { text: [`${canary} text`] });
    await expectDenied(stage, "click", { screenshot_x: inFrame.x, screenshot_y: inFrame.y, screenshot_id, surface });
    await expectLeftAlone(stage);
  }),
  on("moving.html", "not a pixel of one that moves is in 4 pictures", async ({ guarded, person }) => {
    expect(await blockedPixels(person)).toBeGreaterThan(1_000);
    for (let shot = 0; shot < 4; shot++) expect([shot, await blockedPixels(guarded)]).toEqual([shot, 0]);
  }),
  on("turning.html", "not a pixel of one that comes is in a picture", async ({ guarded, person }) => {
    await person.call("cdp_evaluate_script", {
      function: `() => { const all = ["/secret.html", "/form.html"]; let at = 0;
        const frame = document.querySelector("iframe"); frame.src = all[1];
        setInterval(() => { frame.src = all[at++ % 2]; }, 150); }`,
    });
    await expect.poll(async () => (await blockedPixels(person)) > 0, { timeout: 5_000 }).toBe(true);
    for (let shot = 0; shot < 4; shot++) expect([shot, await blockedPixels(guarded)]).toEqual([shot, 0]);
  }),
  ...["zoomed.html", "mirrored.html"].map((page) =>
    on(
      page,
      `it is photographed and pointed at in an allowed frame that is ${page.replace(".html", "")}`,
      async (stage) => {
        await shootAll(stage);
        await expectDenied(stage, "click", { x: 100, y: 230, surface });
        await expectLeftAlone(stage);
      },
    ),
  ),
  on("other.html", "it is photographed where password fields may be seen", async ({ unmasked, person }) => {
    expect(await blockedPixels(person)).toBeGreaterThan(1_000);
    expect(await blockedPixels(unmasked)).toBe(0);
  }),
];

const popups: readonly FrameAttack[] = [
  ...(["Open", "Follow"] as const).map((name) => ({
    name: `a new page of a blocked ${name === "Open" ? "address" : "title"} is looked at, selected and closed`,
    async run(stage: FrameStage) {
      const { guarded, server } = stage;
      await guarded.call("cdp_navigate", { url: `${server.own}/popups.html` });
      const clicked = await guarded.call("cdp_click", { uid: await guarded.find(name) });
      expect(told(clicked)).not.toContain(canary);
      await expectBlockedPage(stage);
    },
  })),
  ...(["opens", "makes"] as const).map((how) =>
    on("own.html", `a page that a blocked frame ${how} itself`, async (stage) => {
      await stage.guarded.call("cdp_take_dom_snapshot");
      await stage.person.call("cdp_click", { uid: await stage.person.find(`${canary} ${how}`, "button") });
      await expectBlockedPage(stage);
    }),
  ),
];

/** The tab itself leads to a blocked page. Its address is written so that no answer can repeat it by repeating the call. */
const goes = "%2F%73ecret.html";
const leads: Readonly<Record<string, Step>> = {
  "an address that redirects to a blocked one": async (stage) => {
    await expectHidden(stage, "cdp_navigate", { url: `${stage.server.own}/moved?to=${goes}` });
  },
  "an address that redirects to another host and a blocked title": async (stage) => {
    const to = encodeURIComponent(`${stage.server.other}/vault.html`);
    await expectHidden(stage, "cdp_navigate", { url: `${stage.server.own}/moved?to=${to}` });
  },
  "a page that goes there by itself": async (stage) => {
    await expectHidden(stage, "cdp_navigate", { url: `${stage.server.own}/leading.html` });
    await stage.person.call("cdp_wait_for", { text: [`${canary} text`] });
  },
  "back to a blocked page": async (stage) => {
    for (const page of ["secret.html", "popups.html"])
      await stage.person.call("cdp_navigate", { url: `${stage.server.own}/${page}` });
    await expectHidden(stage, "cdp_navigate", { type: "back" });
  },
  "forward to a blocked page": async (stage) => {
    for (const to of [{ url: `${stage.server.own}/vault.html` }, { type: "back" }])
      await stage.person.call("cdp_navigate", to);
    await expectHidden(stage, "cdp_navigate", { type: "forward" });
  },
};

const looks: readonly Step[] = [
  (stage) => expectDenied(stage, "cdp_take_dom_snapshot"),
  (stage) => expectDenied(stage, "take_screenshot", { mode: "window", surface }),
  async (stage) => expect(await expectHidden(stage, "cdp_list_pages")).toContain("[blocked]"),
  (stage) => expectDenied(stage, "click", { ...inFrame, surface }),
  (stage) => expectDenied(stage, "cdp_find_elements", { query: canary }),
  (stage) => expectDenied(stage, "cdp_wait_for", { text: [`${canary} text`], timeout: 0 }),
  (stage) => expectDenied(stage, "cdp_evaluate_script", { function: "() => document.title" }),
  (stage) => expectDenied(stage, "cdp_navigate", { type: "reload" }),
];

const led: readonly FrameAttack[] = Object.entries(leads).flatMap(([name, lead], row) =>
  doorNames.map((by, at) => ({
    name,
    by,
    async run(stage: FrameStage) {
      await stage.person.call("cdp_navigate", { url: `${stage.server.own}/popups.html` });
      await lead(stage);
      await all(by === "CLI" ? looks.filter((_look, index) => index === (row + at) % looks.length) : looks)(stage);
      await expectLeftAlone(stage);
    },
  })),
);

/** A person has opened a tab that may not be seen. */
const tabs: readonly FrameAttack[] = (["secret.html", "vault.html"] as const).flatMap((page) => [
  {
    name: `a tab with ${page} that cdp_new_page was sent on to`,
    by: page === "secret.html" ? "MCP" : "HTTP",
    async run(stage) {
      await stage.person.call("cdp_navigate", { url: `${stage.server.own}/popups.html` });
      const to = page.replace(/^./, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
      await expectHidden(stage, "cdp_new_page", { url: `${stage.server.own}/moved?to=%2F${to}` });
      await expectBlockedPage(stage);
      await stage.guarded.call("cdp_select_page", { page_idx: 0 });
    },
  },
  {
    name: `a tab with ${page} that a person has opened`,
    by: "CLI",
    async run(stage) {
      const { guarded, person, server } = stage;
      await person.call("cdp_navigate", { url: `${server.own}/popups.html` });
      await person.call("cdp_new_page", { url: `${server.own}/${page}` });
      try {
        await expectHidden(stage, "cdp_list_pages");
        const { pages } = await guarded.call("cdp_list_pages");
        const index = (pages as { title: string }[]).findIndex(({ title }) => title === "[blocked]");
        const { surface: tab } = (pages as { surface: string }[])[index] ?? { surface: "" };
        if (page === "secret.html") await expectDenied(stage, "cdp_select_page", { page_idx: index });
        else await expectDenied(stage, "take_screenshot", { mode: "window", surface: tab });
      } finally {
        await person.call("cdp_close_page", { page_idx: 1 });
        await person.call("cdp_select_page", { page_idx: 0 });
      }
    },
  },
]);

async function expectBlockedPage(stage: FrameStage): Promise<void> {
  const { guarded } = stage;
  const pages = async () => (await guarded.call("cdp_list_pages"))["pages"] as { surface: string; title: string }[];
  await expect.poll(async () => (await pages()).length, { timeout: 5_000 }).toBe(2);
  await expect.poll(async () => (await pages())[1]?.title, { timeout: 5_000 }).toBe("[blocked]");
  await expectHidden(stage, "cdp_list_pages");
  await expectDenied(stage, "cdp_select_page", { page_idx: 1 });
  const { surface: other } = (await pages())[1] ?? { surface: "" };
  await expectDenied(stage, "take_screenshot", { mode: "window", surface: other });
  await expectDenied(stage, "cdp_take_dom_snapshot", { surface: other });
  await expectHidden(stage, "cdp_close_page", { page_idx: 1 });
  expect(await pages()).toHaveLength(1);
}

export const frameAttacks: readonly FrameAttack[] = [...every, ...others, ...old, ...popups, ...led, ...tabs];
