/** What a row is built from: two tabs, as seen by one server with its own refs. "Payroll" may not be used. */
export interface PageStage {
  /** "page:1" and "page:2", whichever they are. */
  readonly editor: string;
  readonly payroll: string;
  readonly payrollIndex: number;
  readonly payButton: string;
  readonly payField: string;
  /** A button in a frame of Payroll, which has a title and an address of its own. */
  readonly innerButton: string;
  readonly ownButton: string;
  readonly region: number;
  readonly regionId: string;
  /** A picture of Payroll. */
  readonly shot: string;
}

type Row = readonly [what: string, tool: string, args: (stage: PageStage) => object];

/** Where the button of either page is. */
export const atButton = { x: 60, y: 120 };

export const titles = { editor: "Editor", payroll: "Payroll" } as const;

/** Both pages say what has reached them. */
export const pageOf = (title: string, inner = ""): string => `<title>${title}</title>
  <body style="margin:0"><button style="position:absolute;left:20px;top:100px;width:160px;height:40px">Pay ${title}</button>
  <input aria-label="Name ${title}" style="position:absolute;left:20px;top:160px">${inner}
  <script>
    window.reached = 0;
    for (const type of ["pointerdown", "pointermove", "wheel", "keydown", "input", "focusin", "beforeunload"])
      addEventListener(type, () => { window.reached++; }, true);
    addEventListener("message", () => { window.reached++; });
  </script>`;

export const framePage = `<title>Harmless</title><body style="margin:0"><button>Inner pay</button><script>
    for (const type of ["pointerdown", "pointermove", "keydown", "focusin"])
      addEventListener(type, () => parent.postMessage(1, "*"), true);
  </script>`;

const pixel = ({ shot }: PageStage) => ({
  screenshot_id: shot,
  screenshot_x: atButton.x,
  screenshot_y: atButton.y,
});

/** Ways to use Payroll under the name of the editor, or under none. */
export const pageRows: readonly Row[] = [
  ["uid, the editor is selected", "cdp_click", (s) => ({ uid: s.payButton })],
  ["uid of its frame, the editor is selected", "cdp_click", (s) => ({ uid: s.innerButton })],
  ["hovering by uid", "cdp_hover", (s) => ({ uid: s.payButton })],
  ["filling by uid", "cdp_fill", (s) => ({ uid: s.payField, value: "x" })],
  ["uid, surface of the editor", "click", (s) => ({ uid: s.payButton, surface: s.editor })],
  ["uid, no surface", "click", (s) => ({ uid: s.payButton })],
  ["uid of its frame, surface of the editor", "click", (s) => ({ uid: s.innerButton, surface: s.editor })],
  ["uid, title of the editor", "click", (s) => ({ uid: s.payButton, surface: s.payroll, window_title: "Editor" })],
  ["a point, title of the editor", "click", (s) => ({ ...atButton, surface: s.payroll, window_title: "Editor" })],
  ["a point", "click", (s) => ({ ...atButton, surface: s.payroll })],
  ["a point with modifiers", "click", (s) => ({ ...atButton, modifiers: ["ctrl"], surface: s.payroll })],
  ["a selector", "click", (s) => ({ selector: 'Button:"Pay Payroll"', surface: s.payroll })],
  ["a text", "click", (s) => ({ text: "Pay Payroll", surface: s.payroll })],
  [
    "a text below a uid of it, surface of the editor",
    "click",
    (s) => ({ text: "Pay", within: s.payButton, surface: s.editor }),
  ],
  ["a region, surface of the editor", "click", (s) => ({ region_id: s.regionId, surface: s.editor })],
  ["a region", "click_region", (s) => ({ region: s.region, surface: s.payroll })],
  ["a pixel of its picture, surface of the editor", "click", (s) => ({ ...pixel(s), surface: s.editor })],
  ["a pixel of its picture", "click", (s) => ({ ...pixel(s), surface: s.payroll })],
  ["a pixel of its picture, no surface", "click", pixel],
  ["hovering", "move_mouse", (s) => ({ ...atButton, surface: s.payroll })],
  ["hovering by uid, surface of the editor", "move_mouse", (s) => ({ uid: s.payButton, surface: s.editor })],
  ["the wheel", "scroll", (s) => ({ ...atButton, direction: "down", surface: s.payroll })],
  [
    "the wheel by uid, surface of the editor",
    "scroll",
    (s) => ({ uid: s.payButton, direction: "down", surface: s.editor }),
  ],
  ["a drag from the editor by uid", "drag", (s) => ({ uid: s.ownButton, to_uid: s.payButton })],
  ["a drag to the editor by uid", "drag", (s) => ({ uid: s.payButton, to_uid: s.ownButton, surface: s.editor })],
  ["a drag by points", "drag", (s) => ({ start_x: 60, start_y: 120, end_x: 90, end_y: 170, surface: s.payroll })],
  ["act: press, surface of the editor", "act", (s) => ({ action: "press", uid: s.payButton, surface: s.editor })],
  ["act: set_value", "act", (s) => ({ action: "set_value", uid: s.payField, value: "x", surface: s.payroll })],
  ["act: type, no surface", "act", (s) => ({ action: "type", uid: s.payField, text: "x" })],
  ["act: a key", "act", (s) => ({ action: "key", key: "a", surface: s.payroll })],
  ["pressed natively, surface of the editor", "ax_click", (s) => ({ uid: s.payButton, surface: s.editor })],
  ["a value set natively", "ax_set_value", (s) => ({ uid: s.payField, text: "x", surface: s.payroll })],
  ["the focus set natively, no surface", "ax_focus", (s) => ({ uid: s.payField })],
  ["text into a uid, surface of the editor", "type_text", (s) => ({ text: "x", uid: s.payField, surface: s.editor })],
  ["text into a field by name", "type_text", (s) => ({ text: "x", into: "Name Payroll", surface: s.payroll })],
  ["text at the cursor", "cdp_type_text", (s) => ({ text: "x", surface: s.payroll })],
  [
    "text at the cursor, title of the editor",
    "type_text",
    (s) => ({ text: "x", surface: s.payroll, window_title: "Editor" }),
  ],
  ["a key", "cdp_press_key", (s) => ({ key: "a", surface: s.payroll })],
  ["a key to every surface", "press_key", (s) => ({ key: "tab", surface: s.payroll })],
  ["a script in it", "cdp_evaluate_script", (s) => ({ function: "() => document.body.click()", surface: s.payroll })],
  [
    "a script with its uid, the editor is selected",
    "cdp_evaluate_script",
    (s) => ({ function: "(e) => e.click()", args: [{ uid: s.payButton }] }),
  ],
  [
    "a script with its uid after one of the editor",
    "cdp_evaluate_script",
    (s) => ({ function: "(_e, e) => e.click()", args: [{ uid: s.ownButton }, { uid: s.payButton }] }),
  ],
  [
    "a script with its uid, surface of the editor",
    "cdp_evaluate_script",
    (s) => ({ function: "(e) => e.click()", args: [{ uid: s.payButton }], surface: s.editor }),
  ],
  ["leaving it", "cdp_navigate", (s) => ({ url: "about:blank", surface: s.payroll })],
  ["loading it again", "cdp_navigate", (s) => ({ type: "reload", surface: s.payroll })],
  ["closing it", "cdp_close_page", (s) => ({ page_idx: s.payrollIndex })],
];
