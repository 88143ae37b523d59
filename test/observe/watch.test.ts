import fc from "fast-check";
import { expect, test } from "vitest";
import { kinds, MutatingApp, names, type Mutation } from "../support/mutating.ts";
import { launchHeadless, servePages } from "../support/browser.ts";
import { openDesktop } from "../support/element-app.ts";
import { outlineOf, StreamReader } from "../support/ui-stream.ts";

/** 1 000 are done by `npm run bench -- watch`. */
const mutations = 60;

const mutation: fc.Arbitrary<Mutation> = fc.constantFrom(...kinds).chain((kind) =>
  fc.record({
    do: fc.constantFrom("insert", "remove", "replace", "swap", "rename", "move", "rebuild"),
    in: fc.constant(kind),
    at: fc.nat(20),
    to: fc.nat(20),
    name: fc.constantFrom(...names[kind]),
  }),
);

test.each([
  ["gtk3", "GTK3 Mutating", kinds],
  ["gtk4", "GTK4 Mutating", kinds],
  ["qt6", "Qt6 Mutating", ["buttons", "rows"]],
] as const)(
  "what is told of a changing %s app, applied to the first snapshot, is the last snapshot [S3-73]",
  async (toolkit, title, has) => {
    const { env, handsight } = await openDesktop();
    await using app = await MutatingApp.start(toolkit, title, env, handsight);
    const { window } = await handsight.call("wait_for", { window_title: title });
    const windowId = (window as { window_id: number }).window_id;
    const reader = await StreamReader.start(handsight.call, { window_id: windowId });
    await reader.read(5_000);
    expect(reader.outline()).toEqual(await outlineOf(handsight.call, windowId));
    const all = fc.sample(mutation, { numRuns: mutations, seed: 24 });
    for (const [index, each] of all.entries()) {
      if ((has as readonly string[]).includes(each.in)) await app.mutate(each);
      // Some are read one by one and others in bursts.
      if (index % 3 === 0) await reader.read();
    }
    await app.drained();
    await reader.agrees(windowId);
    expect(reader.missed).toBe(0);
    expect(reader.events.map(({ seq }) => seq)).toEqual(reader.events.map((_, index) => index + 1));
    expect(new Set(reader.events.map(({ surface }) => surface))).toEqual(new Set(["desktop"]));
  },
);

const page = `<!doctype html><title>Changing page</title><main></main><script>
  const names = ["Save", "Open", "Apply", "Discard"];
  const make = (name) => {
    const row = document.createElement("p");
    row.innerHTML = "<span></span> <button></button> <input type=checkbox aria-label=Done>";
    row.firstChild.textContent = "Row of " + name;
    row.querySelector("button").textContent = name;
    return row;
  };
  const main = document.querySelector("main");
  main.append(...names.map(make));
  const change = ({ do: how, at, to, name }) => {
    const rows = main.children;
    const row = rows[at % rows.length];
    if (how === "insert" && rows.length < 16) row.before(make(name));
    if (how === "remove" && rows.length > 4) row.remove();
    if (how === "replace") row.replaceWith(make(name));
    if (how === "swap") row.before(rows[to % rows.length]);
    if (how === "rename") row.querySelector("button").textContent = name;
    if (how === "move") main.append(row);
    if (how === "rebuild") main.replaceChildren(...names.map(make));
    if (how === "nothing") row.querySelector("input").toggleAttribute("disabled");
  };
</script>`;

const inPage = fc.record({
  do: fc.constantFrom("insert", "remove", "replace", "swap", "rename", "move", "rebuild", "nothing"),
  at: fc.nat(20),
  to: fc.nat(20),
  name: fc.constantFrom(...names.buttons),
});

test("what is told of a changing page, applied to the first snapshot, is the last snapshot [S3-73]", async () => {
  await using server = await servePages({
    "changing.html": page,
    "other.html": "<title>Other</title><h1>Elsewhere</h1>",
  });
  await using browser = await launchHeadless();
  await browser.call("cdp_navigate", { url: `${server.own}/changing.html` });
  const surface = "page:1";
  const reader = await StreamReader.start(browser.call, { surface });
  await reader.read(5_000);
  expect(reader.outline().join("\n")).toContain('button "Discard"');
  for (const each of fc.sample(inPage, { numRuns: mutations, seed: 24 })) {
    await browser.call("cdp_evaluate_script", { function: "(each) => change(each)", args: [each], settle_ms: 0 });
    await reader.read();
  }
  await reader.agreesWith(async () => {
    const fresh = await StreamReader.start(browser.call, { surface });
    await fresh.read(5_000);
    await fresh.stop();
    return fresh.outline();
  });
  const before = reader.events.length;
  await browser.call("cdp_navigate", { url: `${server.own}/other.html` });
  await reader.until(
    ({ element, elements = [] }) =>
      [element, ...elements.map((each) => each.element)].some((line) => line?.includes("Elsewhere")),
    "the next document is told",
  );
  await browser.call("cdp_evaluate_script", {
    function: "() => void (document.querySelector('h1').textContent = 'Nowhere')",
    settle_ms: 0,
  });
  await reader.until(({ element }) => element?.includes("Nowhere") === true, "changes of the next document are told");
  expect(reader.events.length).toBeGreaterThan(before);
  expect(new Set(reader.events.map((event) => event.surface))).toEqual(new Set([surface]));
});
