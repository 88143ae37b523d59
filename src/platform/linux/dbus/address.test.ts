import { expect, test } from "vitest";
import { parseAddress } from "./address.ts";

test("reads every endpoint of an address, in order", () => {
  const address = "unix:path=/run/bus,guid=0123;unix:abstract=/tmp/dbus-x;tcp:host=127.0.0.1,port=4000,family=ipv4";
  expect(parseAddress(address, {})).toEqual([
    { path: "/run/bus" },
    { path: "\0/tmp/dbus-x" },
    { host: "127.0.0.1", port: 4000 },
  ]);
});

test("reads escaped bytes as UTF-8", () => {
  expect(parseAddress("unix:path=/tmp/%c3%a4%2cb", {})).toEqual([{ path: "/tmp/ä,b" }]);
});

test("finds the bus of the session's runtime folder", () => {
  expect(parseAddress("unix:runtime=yes", { XDG_RUNTIME_DIR: "/run/user/7" })).toEqual([{ path: "/run/user/7/bus" }]);
});

test.each(["", "autolaunch:", "unixexec:path=/bin/sh", "unix:path=", "nonsense"])("refuses %j", (address) => {
  expect(() => parseAddress(address, {})).toThrow(expect.objectContaining({ code: "not_connected" }));
});
