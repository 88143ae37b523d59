import { expect, test } from "vitest";
import { Identities } from "./identity.ts";
import { readNodes, type Dump } from "./nodes.ts";
import { XmlReader } from "./xml.ts";

const usual = `checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false"`;

/** A node as uiautomator writes it; the given attributes replace the defaults. */
function node(type: string, bounds: string, given: Readonly<Record<string, string>> = {}, inside = ""): string {
  const attributes = new Map([...usual.matchAll(/([\w-]+)="(\w+)"/g)].map(([, key = "", value = ""]) => [key, value]));
  const all = { text: "", "resource-id": "", class: type, package: "org.a", "content-desc": "", bounds, ...given };
  for (const [key, value] of Object.entries(all)) attributes.set(key, value);
  const text = [...attributes].map(([key, value]) => `${key}="${value}"`).join(" ");
  return `<node index="0" ${text}>${inside}</node>`;
}

const screen = (...nodes: readonly string[]): Dump =>
  readNodes(new XmlReader().read(`<?xml version='1.0' ?><hierarchy rotation="1">${nodes.join("")}</hierarchy>`));

const click = { clickable: "true" };
const row = (title: string, top: number): string =>
  node(
    "android.widget.LinearLayout",
    `[0,${top}][100,${top + 10}]`,
    click,
    node("android.widget.TextView", `[0,${top}][50,${top + 10}]`, { text: title, "resource-id": "android:id/title" }),
  );

test("roles come from the class and from what a thing does", () => {
  const { nodes, rotation } = screen(
    node("android.widget.EditText", "[0,0][9,9]", { text: "ann", hint: "Name" }),
    node("android.widget.ImageView", "[0,0][9,9]", { ...click, "content-desc": "Search" }),
    node("android.view.View", "[0,0][9,9]", { ...click, text: "Compose" }),
    node("androidx.appcompat.widget.SwitchCompat", "[0,0][9,9]", { checkable: "true", checked: "true", text: "Wi-Fi" }),
    node("android.widget.TextView", "[0,0][9,9]", { text: "Label" }),
    node("android.widget.FrameLayout", "[0,0][9,9]"),
  );
  expect(rotation).toBe(1);
  expect(nodes.map(({ role, name, value }) => [role, name, value])).toEqual([
    ["textbox", "Name", "ann"],
    ["button", "Search", undefined],
    ["button", "Compose", undefined],
    ["switch", "Wi-Fi", undefined],
    ["text", "Label", undefined],
    ["group", "", undefined],
  ]);
  expect(nodes[3]?.states).toContain("checked");
});

test("what has no area is left out and its content moves up; icon buttons without a name stay", () => {
  const { nodes } = screen(
    node("android.widget.FrameLayout", "[0,0][0,0]", {}, node("android.widget.Button", "[0,0][9,9]", { text: "In" })),
    node("android.widget.ImageButton", "[10,0][19,9]", { ...click, NAF: "true", "resource-id": "org.a:id/more" }),
  );
  expect(nodes.map(({ role, name, automationId, parent }) => [role, name, automationId, parent])).toEqual([
    ["button", "In", undefined, -1],
    ["button", "", "more", -1],
  ]);
});

test("only the length of a password is reported", () => {
  const { nodes } = screen(node("android.widget.EditText", "[0,0][9,9]", { text: "hunter2", password: "true" }));
  expect(nodes[0]?.value).toBe("•••••••");
  expect(JSON.stringify(nodes)).not.toContain("hunter2");
});

test("a row is named after the text in it, a switch after the text beside it", () => {
  const { nodes } = screen(
    node(
      "androidx.recyclerview.widget.RecyclerView",
      "[0,0][100,100]",
      {},
      node(
        "android.widget.LinearLayout",
        "[0,0][100,20]",
        click,
        node("android.widget.TextView", "[0,0][50,20]", { text: "Bluetooth" }) +
          node("android.widget.Switch", "[60,0][90,20]", { checkable: "true", text: "OFF" }),
      ),
    ),
  );
  expect(nodes.map(({ role, name }) => [role, name])).toEqual([
    ["list", ""],
    ["listitem", "Bluetooth"],
    ["text", "Bluetooth"],
    ["switch", "Bluetooth"],
  ]);
});

test("a touch on a row avoids the button on its centre", () => {
  const { nodes } = screen(
    node("android.widget.LinearLayout", "[0,0][100,20]", click, node("android.widget.Button", "[40,0][60,20]", click)),
  );
  const point = nodes[0]?.clickPoint;
  expect(point && (point.x < 40 || point.x >= 60)).toBe(true);
  expect(nodes[1]?.clickPoint).toBeUndefined();
});

test("an element keeps its id while its text changes in place, and gets a new one on another screen", () => {
  const identities = new Identities(0);
  const page = (count: string, title = "Counter") =>
    screen(
      node("android.widget.TextView", "[0,0][9,9]", { text: title }),
      node("android.widget.TextView", "[0,10][9,19]", { text: count }),
      node("android.widget.Button", "[0,20][9,29]", { ...click, text: "Add" }),
    );
  const ids = (dump: Dump) => identities.follow(dump).map(({ runtimeId }) => runtimeId);
  const first = ids(page("1"));
  expect(ids(page("2"))).toEqual(first);
  const other = ids(
    screen(
      node("android.widget.TextView", "[0,0][9,9]", { text: "Elsewhere" }),
      node("android.widget.TextView", "[0,10][9,19]", { text: "x" }),
      node("android.widget.Button", "[0,20][9,29]", { ...click, text: "Delete all" }),
    ),
  );
  expect(other.filter((id) => first.includes(id))).toEqual([]);
});

test("after scrolling a row keeps its id by what it shows, and its old place belongs to another", () => {
  const identities = new Identities(0);
  const list = (titles: readonly string[]) =>
    screen(
      node("android.widget.TextView", "[0,0][100,10]", { text: "Settings" }),
      node(
        "androidx.recyclerview.widget.RecyclerView",
        "[0,10][100,90]",
        { scrollable: "true" },
        titles.map((title, index) => row(title, 10 + index * 10)).join(""),
      ),
    );
  const byName = (dump: Dump) =>
    new Map(
      identities.follow(dump).flatMap(({ role, name, runtimeId }) => (role === "listitem" ? [[name, runtimeId]] : [])),
    );
  const before = byName(list(["Wi-Fi", "Bluetooth", "Display", "Sound"]));
  const after = byName(list(["Display", "Sound", "Storage", "Battery"]));
  expect(after.get("Display")).toBe(before.get("Display"));
  expect(after.get("Storage")).not.toBe(before.get("Display"));
  expect([...before.values()]).not.toContain(after.get("Battery"));
  const replaced = byName(list(["Display", "Sound", "Storage", "Security"]));
  expect([...after.values()]).not.toContain(replaced.get("Security"));
});

test("what looks the same on another screen is a different element", () => {
  const identities = new Identities(0);
  const page = (...titles: readonly string[]) =>
    screen(
      node("android.widget.ImageButton", "[0,0][9,9]", { ...click, "content-desc": "Back" }),
      ...titles.map((text, index) => node("android.widget.TextView", `[0,${index}][9,90]`, { text })),
    );
  const [first] = identities.follow(page("a", "b", "c", "d"));
  const [second] = identities.follow(page("e", "f", "g", "h"));
  expect([first?.name, second?.name]).toEqual(["Back", "Back"]);
  expect(second?.runtimeId).not.toBe(first?.runtimeId);
});

test("what another view covers whole is marked, unless the view is inside it or lets touches through", () => {
  const button = node("android.widget.Button", "[10,10][30,20]", { ...click, text: "Save" });
  const cover = (inside = "") => node("android.widget.FrameLayout", "[0,0][100,100]", click, inside);
  const window = (...inside: readonly string[]) =>
    node("android.widget.FrameLayout", "[0,0][100,100]", {}, inside.join(""));
  const coversOf = (...nodes: readonly string[]) =>
    screen(...nodes).nodes.flatMap(({ name, coveredBy }) => (name === "Save" ? [coveredBy] : []));
  expect(coversOf(window(button, cover(node("android.widget.TextView", "[0,0][9,9]", { text: "Wait" }))))).toEqual([
    'button "Wait"',
  ]);
  expect(coversOf(window(cover(button)))).toEqual([undefined, undefined]);
  expect(coversOf(window(button, node("android.widget.FrameLayout", "[0,0][100,100]")))).toEqual([undefined]);
});
