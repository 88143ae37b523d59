import { expect, test } from "vitest";
import { needHost, toHost } from "./hosts.ts";
import { toRules } from "./rules.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["LOCALHOST.", "localhost"],
  ["127.1", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0177.0.0.1", "127.0.0.1"],
  ["::1", "[::1]"],
  ["[0:0:0:0:0:0:0:1]", "[::1]"],
  ["::ffff:127.0.0.1", "127.0.0.1"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["my_box-2.local", "my_box-2.local"],
])("%s is the host %s", (text, host) => {
  expect(toHost(text)).toBe(host);
});

test.each([
  "127.0.0.1/latest/meta-data?x=",
  "127.0.0.1#",
  "user@127.0.0.1",
  "127.0.0.1:80",
  "http://127.0.0.1",
  "127.0.0.1\t",
  "127.0.0.1%2fx",
  "127.0.0.1\\x",
  "127.0.0.1／x",
  "[::1]/x",
  "::1%lo",
  "0.0.0.0",
  "::",
  "1.2.3.4.5",
  "..",
  "",
])("%j is no host", (text) => {
  expect(() => toHost(text)).toThrow(expect.objectContaining({ code: "invalid_argument" }));
});

const connect = (host: string, urls: object) => needHost({ host, port: 9222 }, toRules({ urls }, { roots: [] }));

test("a blocked host is refused in every spelling, this machine by each of its names", () => {
  for (const host of ["10.0.0.1", "0xa.1", "::ffff:10.0.0.1", "10.0.0.1."]) {
    expect(() => connect(host, { block: ["10.0.0.1"] })).toThrow("urls.block");
  }
  for (const host of ["localhost", "127.0.0.1", "::1"]) {
    for (const pattern of ["localhost", "https://127.0.0.1", "http://[::1]:9222"]) {
      expect(() => connect(host, { block: [pattern] }), `${host} ${pattern}`).toThrow("urls.block");
    }
  }
  expect(connect("10.0.0.1", { block: ["10.0.0.1:80"] })).toBe("10.0.0.1");
});

test("another machine has to be allowed, this one need not", () => {
  const urls = { allow: ["https://*.example.com"] };
  expect(connect("127.0.0.1", urls)).toBe("127.0.0.1");
  expect(connect("a.example.com", urls)).toBe("a.example.com");
  expect(() => connect("10.0.0.1", urls)).toThrow("urls.allow");
});
