import { expect, test } from "vitest";
import { XmlReader } from "./xml.ts";
import { frontOfDisplays } from "./xml-windows.ts";

const window = (attributes: string, text: string) =>
  `<window ${attributes}><hierarchy rotation="0"><node text="${text}"><node text="inside" /></node></hierarchy></window>`;
const textsOf = (xml: string) =>
  [...frontOfDisplays(new XmlReader().read(xml))].map(([id, front]) => [
    id,
    front.flatMap(({ name, attributes }) => (name === "node" ? (attributes.get("text") ?? "") : [])),
  ]);

test("on every display the focused window is in front, or the topmost of an app", () => {
  const first =
    window('layer="3" type="INPUT_METHOD"', "keys") +
    window('layer="1" type="APPLICATION" focused="true"', "form") +
    window('layer="9" type="SYSTEM"', "bar");
  const second = window('layer="2" type="APPLICATION"', "below") + window('layer="5" type="APPLICATION"', "above");
  expect(textsOf(`<displays><display id="0">${first}</display><display id="2">${second}</display></displays>`)).toEqual(
    [
      [0, ["form", "inside"]],
      [2, ["above", "inside"]],
    ],
  );
});

test("the parents of what is in front are renumbered", () => {
  const front = frontOfDisplays(
    new XmlReader().read(`<displays><display id="1">${window("", "a")}</display></displays>`),
  ).get(1);
  expect(front?.map(({ name, parent }) => [name, parent])).toEqual([
    ["hierarchy", -1],
    ["node", 0],
    ["node", 1],
  ]);
});

test("a dump of one window belongs to the first display", () => {
  expect(textsOf('<hierarchy rotation="0"><node text="only" /></hierarchy>')).toEqual([[0, ["only"]]]);
});
