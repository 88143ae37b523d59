import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

const drinks = ["Tea", "Milk", "Lemon", "Mint"];
const boxes = drinks
  .map((name) => `<label><input type=checkbox name="${name}" ${name === "Milk" ? "checked" : ""}>${name}</label>`)
  .join("");
const order = `<button onclick="out.textContent = [...document.querySelectorAll(':checked')].map((each) => each.name || each.text).join()">Order</button><p id=out></p>`;
const options = drinks.map((name) => `<option>${name}</option>`).join("");
const say = (text: string) => `onclick="out.textContent = '${text}'"`;
const buttons = ["One", "Two", "Three"].map((name) => `<button ${say(name)}>Go</button>`).join("");
const fields = "<label>Username <input id=user></label><label>Password <input id=word type=password></label>";

/** A slider that only keys can move, as many on pages are, in steps of two. */
const keySlider = `<div role=slider tabindex=0 aria-label=Depth aria-valuenow=0 aria-valuemin=0 aria-valuemax=20
  style="width:200px;height:20px;background:#ccc"></div><p id=out></p><script>
  const slider = document.querySelector("[role=slider]");
  slider.addEventListener("keydown", ({ key }) => {
    const by = { ArrowRight: 2, ArrowLeft: -2 }[key] ?? 0;
    slider.ariaValueNow = String(Math.min(20, Math.max(0, Number(slider.ariaValueNow) + by)));
    out.textContent = slider.ariaValueNow;
  });
</script>`;

const pages = {
  boxes: boxes + order,
  bread: `<button ${say("both")}>Bread and Butter</button><button ${say("bread")}>Bread</button><p id=out></p>`,
  single: `<select size=4>${options}</select>${order}`,
  dropdown: `<select><option>Any</option>${options}</select>${order}`,
  range:
    "<label>Volume <input type=range min=0 max=10 value=2 oninput='out.textContent = value'></label><p id=out></p>",
  spinner: "<label>Count <input type=number value=1 oninput='out.textContent = value'></label><p id=out></p>",
  keys: keySlider,
  ordinals: `${buttons}<p id=out></p>`,
  reversed: `<div style="display:flex;flex-direction:row-reverse">${buttons}</div><p id=out></p>`,
  lists: `<a href="#x">Top</a><ul><li><a href="#1">A</a></li><li><a href="#2">B</a></li></ul><p id=out></p>
    <script>onhashchange = () => out.textContent = location.hash</script>`,
  login: `${fields}<button onclick="out.textContent = user.value + '/' + word.value">Login</button><p id=out></p>`,
  unsent: `<input type=radio name=r><input type=radio name=r><input id=first><input>
    <button onclick="out.textContent = first.value">Submit</button><p id=out></p>`,
  toolbar: "<button>Save</button><label>Name <input oninput='out.textContent = value'></label><p id=out></p>",
  tabs: `<div role=tablist>${["Mine", "Yours", "Ours"].map((name) => `<button role=tab ${say(name)}>${name}</button>`).join("")}</div><p id=out></p>`,
  covered: `<div style="position:relative"><button ${say("yes")}>Send</button>
    <div style="position:absolute;inset:0;background:#eee" ${say("no")}></div></div><p id=out></p>`,
  hovering: `<style>[role=menu] [role=menu] { display: none } li:hover > [role=menu] { display: block }</style>
    <ul role=menu><li role=none><div role=menuitem aria-haspopup=true ${say("chose Fruit")}>Fruit</div>
    <ul role=menu><li role=none><div role=menuitem ${say("chose Apple")}>Apple</div></li></ul></li></ul><p id=out></p>`,
  fickle:
    "<label><input type=checkbox onchange='setTimeout(() => checked = false); out.textContent = 1'>Agree</label><p id=out></p>",
  dialog: "<dialog id=box><p>Sure?</p><button>Yes</button></dialog><p id=out></p><script>box.showModal()</script>",
  stubborn: `<div role=dialog id=box><p>Sure?</p><input></div><p id=out></p><script>
    box.onkeydown = () => void box.append(" No."); box.querySelector("input").focus()</script>`,
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

/** What the agent says, and what the page itself knows. */
async function follow(page: keyof typeof pages, goal: string) {
  await browser.call("cdp_navigate", { url: `${server.own}/${page}` });
  const { surface } = ((await browser.call("cdp_list_pages"))["pages"] as { surface: string }[])[0] ?? {};
  const { status, message } = await browser.call("run_agent", { goal, model: "rules", surface });
  const { result } = await browser.call("cdp_evaluate_script", { function: "() => out.textContent" });
  return { status, message: String(message), out: result };
}

describe("the rules follow", () => {
  test.each<[string, keyof typeof pages, string, string]>([
    [
      "several things in one step, one of them done already",
      "boxes",
      "Select Tea, Milk and Lemon and click Order",
      "Tea,Milk,Lemon",
    ],
    [
      "boxes to clear and to tick by their labels",
      "boxes",
      'uncheck "Milk", tick "Tea" and "Mint", click Order',
      "Tea,Mint",
    ],
    ["a name with an and in it", "bread", "click Bread and Butter", "both"],
    ["a list, whatever it is called", "single", "Select Lemon from the scroll list and click Order", "Lemon"],
    [
      "a drop-down list without a name",
      "dropdown",
      'Choose Lemon from the dropdown, then click the button labeled "Order"',
      "Lemon",
    ],
    ["a slider", "range", "set the slider to 7", "7"],
    ["a slider by its value", "range", "Select 4 with the Volume slider", "4"],
    ["a spinner", "spinner", "Select 3 with the spinner", "3"],
    ["a slider that only keys can move", "keys", "Set the Depth slider to 6", "6"],
    ["an ordinal", "ordinals", "click the 2nd button", "Two"],
    ["the last one of a name", "ordinals", 'click the last "Go" button', "Three"],
    ["an ordinal in a list", "lists", "click the second link from the list", "#2"],
    [
      "fields by what goes into them",
      "login",
      'Enter the username "ann" and the password "x1y2z3" into the text fields and press login.',
      "ann/x1y2z3",
    ],
    ["both of two fields", "login", 'Enter "ann" into both text fields and press login', "ann/ann"],
    [
      "a form, when it asks to send it",
      "unsent",
      'Check the 2nd radio button, enter "5" into the 1st textbox and press Submit',
      "5",
    ],
    ["a field below a button that saves something else", "toolbar", 'type "Ann" into Name', "Ann"],
    ["a tab by its number", "tabs", "click tab 2", "Yours"],
  ])("%s", async (_what, page, goal, out) => {
    expect(await follow(page, goal)).toMatchObject({ status: "done", out });
  });

  test("what is to be closed, when it is gone", async () => {
    expect(await follow("dialog", "close the dialog by pressing Escape")).toMatchObject({ status: "done" });
  });
});

describe("the rules do not say done", () => {
  test.each<[string, keyof typeof pages, string, string, string]>([
    [
      "and touch nothing when one of several is missing",
      "boxes",
      "Select Tea, Cola and Lemon and click Order",
      "",
      '"Cola" is not visible',
    ],
    ["when one choice replaces the other", "single", "Select Tea and Milk from the list", "", 'not there: click "Tea"'],
    ["when a value cannot be reached", "keys", "Set the Depth slider to 7", "", "does not take the value 7"],
    ["when the eye counts otherwise than the page", "reversed", "click the 1st button", "", "3 things match"],
    ["when there are not two", "ordinals", 'type "a" into both text fields', "", "No textbox is visible"],
    ["when something else lies over the button", "covered", 'click "Send"', "", "is covered by"],
    ["when a click on the way may already choose", "hovering", "Select Fruit>Apple", "", "may choose it"],
    ["when a box does not stay ticked", "fickle", "check Agree", "1", "the result is not there: turn on"],
    ["when the dialog stays", "stubborn", "close the dialog by pressing Escape", "", "the result is not there"],
    [
      "when a form is filled in but not sent",
      "unsent",
      'Check the 2nd radio button and enter the number "5" into the 1st textbox.',
      "",
      'the instruction does not mention button "Submit"',
    ],
    ["when nothing is there to be closed", "boxes", "close the dialog by pressing Escape", "", "No dialog is visible"],
  ])("%s", async (_what, page, goal, out, why) => {
    const { status, message, out: seen } = await follow(page, goal);
    expect(status).toBe("stopped");
    expect(message).toContain(why);
    if (out !== "") expect(seen).toBe(out);
    else if (page === "boxes" || page === "reversed" || page === "covered" || page === "hovering")
      expect(seen).toBe("");
  });
});
