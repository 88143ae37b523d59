import { expect, test } from "vitest";
import { chooseEntry, parseAuthority, parseDisplay } from "../linux/x11/auth.ts";
import { authorityFile } from "./xauthority.ts";

test("the cookie is found by a client of any display", () => {
  const cookie = Buffer.from("0123456789abcdef");
  const entries = parseAuthority(authorityFile(cookie));
  for (const display of [":0", ":4711"]) {
    expect(chooseEntry(entries, parseDisplay(display), "some-host")?.data).toEqual(cookie);
  }
});

test("the file has the bytes that libXau writes", () => {
  const bytes = authorityFile(Buffer.from([1, 2, 3]));
  expect(bytes.toString("latin1")).toBe("\xff\xff\0\0\0\0\0\x12MIT-MAGIC-COOKIE-1\0\x03\x01\x02\x03");
});
