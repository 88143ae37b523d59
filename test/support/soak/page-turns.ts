import type { Random } from "../../fixtures/ocr/random.ts";
import type { Stage } from "./stage.ts";
import { call, type Turn, type Turns } from "./turn.ts";

const paths = ["/form", "/plain", "/many", "/alert", "/painting"] as const;
const addressOf = ({ ports }: Stage, random: Random): string => `${ports.pages}${random.pick(paths)}`;
const pageOf = ({ memo }: Stage, random: Random): { surface: string } => ({ surface: memo.pick("page", random) });
const settle = (random: Random): { settle_ms: number } => ({ settle_ms: random.pick([0, 0, 50, 150]) });

/** Opens a page, looks at it in some way, and closes it by number or lets it close itself. */
export const visit: Turn = async (stage, random) => {
  const { ask, ports } = stage;
  const isLeaving = random.chance(0.2);
  const opened = await ask("cdp_new_page", {
    url: isLeaving ? `${ports.pages}/closing` : addressOf(stage, random),
    timeout: 5_000,
  });
  const surface = opened.kind === "done" ? /"(page:\d+)"/.exec(JSON.stringify(opened.data))?.[1] : undefined;
  if (surface === undefined) return;
  await ask("take_screenshot", { surface, max_side: 320 });
  if (random.chance(0.5)) await ask("take_ax_snapshot", { surface });
  await closeLast(stage);
};

/** Closes the last page unless it is the only one, so that they do not pile up. */
async function closeLast({ ask }: Stage): Promise<void> {
  const listed = await ask("cdp_list_pages");
  const pages = listed.kind === "done" ? (listed.data["pages"] as readonly unknown[] | undefined) : undefined;
  if (pages !== undefined && pages.length > 1) await ask("cdp_close_page", { page_idx: pages.length - 1 });
}

/** Browser pages, with tabs that come and go. */
export const pageTurns: Turns = [
  [4, visit],
  [3, call(() => ["cdp_list_pages"])],
  [1, (stage) => closeLast(stage)],
  [4, call((stage, random) => ["cdp_navigate", { url: addressOf(stage, random), timeout: 5_000, ...settle(random) }])],
  [1, call((_, random) => ["cdp_navigate", { type: random.pick(["back", "forward", "reload"]), timeout: 3_000 }])],
  [
    0.3,
    async ({ ask, ports }) => {
      await ask("cdp_navigate", { url: `${ports.pages}/never`, timeout: 300 });
      await ask("cdp_navigate", { url: `${ports.pages}/form`, timeout: 5_000 });
    },
  ],
  [0.5, call(({ ports }) => ["cdp_navigate", { url: `${ports.pages}/restless`, timeout: 1_000 }])],
  [6, call((_, random) => ["cdp_take_dom_snapshot", { max_nodes: random.pick([20, 500]) }])],
  [6, call((_, random) => ["cdp_find_elements", { query: random.pick(["Send", "Name", "Buy", "Press", "nothing"]) }])],
  [5, call(({ memo }, random) => ["cdp_click", { uid: memo.pick("dom", random), ...settle(random) }])],
  [
    4,
    call(({ memo }, random) => ["cdp_fill", { uid: memo.pick("dom", random), value: "Grüße 🎉", ...settle(random) }]),
  ],
  [2, call(({ memo }, random) => ["cdp_hover", { uid: memo.pick("dom", random), ...settle(random) }])],
  [2, call((_, random) => ["cdp_press_key", { key: random.pick(["Tab", "a", "Escape"]), ...settle(random) }])],
  [2, call((_, random) => ["cdp_type_text", { text: "some text", ...settle(random) }])],
  [
    3,
    call((_, random) => [
      "cdp_evaluate_script",
      {
        function: random.pick([
          "() => document.title",
          "() => { throw new Error('no') }",
          "() => 'x'.repeat(200000)",
          "async () => 1",
        ]),
        timeout: 1_000,
      },
    ]),
  ],
  [2, call((_, random) => ["cdp_element_at_point", { x: random.int(0, 700), y: random.int(0, 500) }])],
  [2, call((_, random) => ["cdp_wait_for", { text: [random.pick(["Order", "Plain", "never"])], timeout: 200 }])],
  [2, call((_, random) => ["cdp_handle_dialog", { action: random.pick(["accept", "dismiss"]) }])],
  [1, call((_, random) => ["cdp_select_page", { page_idx: random.int(0, 2) }])],
  [6, call((stage, random) => ["take_screenshot", { ...pageOf(stage, random), max_side: 320 }])],
  [4, call((stage, random) => ["take_ax_snapshot", { ...pageOf(stage, random), max_nodes: 100 }])],
  [
    3,
    call((stage, random) => [
      "click",
      { ...pageOf(stage, random), x: random.int(0, 700), y: random.int(0, 400), ...settle(random) },
    ]),
  ],
  [2, call((stage, random) => ["scroll", { ...pageOf(stage, random), x: 300, y: 300, delta_y: 3, ...settle(random) }])],
  [
    1,
    call((stage, random) => [
      "compare_screenshots",
      { ...pageOf(stage, random), before: stage.memo.pick("shot", random) },
    ]),
  ],
  [
    0.5,
    call((stage, random) => [
      "mark_regions",
      { ...pageOf(stage, random), sources: ["elements", "shapes"], include_image: false },
    ]),
  ],
];
