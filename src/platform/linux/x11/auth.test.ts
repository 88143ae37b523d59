import { describe, expect, test } from "vitest";
import { chooseEntry, endpoints, parseAuthority, parseDisplay } from "./auth.ts";

const cookie = "MIT-MAGIC-COOKIE-1";

function authority(
  ...lines: readonly (readonly [family: number, address: string, display: string, data: string])[]
): Buffer {
  const counted = (text: string) => {
    const bytes = Buffer.from(text, "latin1");
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
  };
  return Buffer.concat(
    lines.flatMap(([family, address, display, data]) => [
      Buffer.from([family >> 8, family & 0xff]),
      ...[address, display, cookie, data].map(counted),
    ]),
  );
}

describe("the name of a display", () => {
  test.each([
    [":99", { host: "", display: 99, screen: 0 }],
    [":0.1", { host: "", display: 0, screen: 1 }],
    ["unix:3", { host: "", display: 3, screen: 0 }],
    ["host:0.1", { host: "host", display: 0, screen: 1 }],
    ["tcp/host.example:10", { host: "host.example", display: 10, screen: 0 }],
    ["[::1]:2", { host: "::1", display: 2, screen: 0 }],
    ["localhost:10.0", { host: "localhost", display: 10, screen: 0 }],
  ])("%s is understood", (name, expected) => {
    expect(parseDisplay(name)).toEqual({ name, ...expected });
  });

  test.each([undefined, "", "0", ":", ":abc", "host"])("%s is refused with advice", (name) => {
    expect(() => parseDisplay(name)).toThrow(expect.objectContaining({ code: "not_connected" }));
  });

  test("leads to the socket file, the abstract socket and then TCP", () => {
    expect(endpoints(parseDisplay(":7"))).toEqual([
      { path: "/tmp/.X11-unix/X7" },
      { path: "\0/tmp/.X11-unix/X7" },
      { host: "localhost", port: 6007 },
    ]);
    expect(endpoints(parseDisplay("far:7"))).toEqual([{ host: "far", port: 6007 }]);
  });
});

describe("the cookie file", () => {
  const local = 256;
  const wild = 65535;

  test("gives the line for this host and display, else a wildcard, else an older host name", () => {
    const entries = parseAuthority(
      authority(
        [local, "elsewhere", "5", "old"],
        [wild, "", "", "any"],
        [local, "here", "5", "own"],
        [local, "here", "6", "six"],
      ),
    );
    const choose = (name: string, host: string) => chooseEntry(entries, parseDisplay(name), host)?.data.toString();
    expect(choose(":5", "here")).toBe("own");
    expect(choose(":6", "here")).toBe("six");
    expect(choose(":7", "here")).toBe("any");
    expect(choose(":5", "unknown")).toBe("any");
    const renamed = parseAuthority(authority([local, "elsewhere", "5", "old"]));
    expect(chooseEntry(renamed, parseDisplay(":5"), "here")?.data.toString()).toBe("old");
    expect(chooseEntry(renamed, parseDisplay(":6"), "here")).toBeUndefined();
  });

  test("gives the line for a remote address", () => {
    const entries = parseAuthority(authority([wild, "", "0", "any"], [0, "\x0a\x00\x00\x07", "0", "remote"]));
    expect(chooseEntry(entries, parseDisplay("10.0.0.7:0"), "here")?.data.toString()).toBe("remote");
    expect(chooseEntry(entries, parseDisplay("10.0.0.8:0"), "here")?.data.toString()).toBe("any");
  });

  test("is read up to where it is torn", () => {
    const whole = authority([wild, "", "", "first"], [wild, "", "", "second"]);
    const torn = parseAuthority(whole.subarray(0, whole.length - 3));
    expect(torn.map(({ data }) => data.toString())).toEqual(["first"]);
  });
});
