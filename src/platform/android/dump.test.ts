import { expect, test } from "vitest";
import { DumpReader } from "./dump.ts";
import { Identities } from "./identity.ts";

const screen = (text: string): string =>
  `<hierarchy rotation="0"><node class="android.widget.TextView" text="${text}" package="org.example" bounds="[0,0][9,9]" /></hierarchy>`;

test("an unchanged screen is read once, a changed one again", () => {
  const reader = new DumpReader();
  const identities = new Identities(0);
  const follow = (xml: string) => identities.follow(reader.read(xml).get(0) ?? expect.fail("there is no display"));
  const first = follow(screen("one"));
  expect(follow(screen("one"))).toBe(first);
  const [changed] = follow(screen("two"));
  expect(changed).toMatchObject({ name: "two" });
  expect(follow(screen("one"))).toMatchObject([{ name: "one" }]);
});

test("an unreadable dump is not mistaken for the previous one", () => {
  const reader = new DumpReader();
  reader.read(screen("one"));
  expect(() => reader.read(screen("two").slice(0, -5))).toThrow(expect.objectContaining({ code: "ax_error" }));
  expect(reader.read(screen("one")).get(0)?.nodes).toMatchObject([{ name: "one" }]);
});
