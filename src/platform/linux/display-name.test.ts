import { hostname } from "node:os";
import { expect, test } from "vitest";
import { displayName } from "./display-name.ts";

test.each([
  ":7",
  ":7.0",
  ":7.1",
  ":07",
  "unix:7",
  "unix:7.0",
  "unix/:7",
  "localhost:7",
  "LocalHost:7.0",
  "127.0.0.1:7",
  "[::1]:7",
  "::1:7",
  `${hostname()}:7`,
  `${hostname()}/unix:7`,
  "tcp/localhost:7",
  "/tmp/.X11-unix/X7",
  "unix:/tmp/.X11-unix/X7",
])("%s is display 7 of this machine", (display) => {
  expect(displayName(display)).toBe(":7");
});

test.each([
  [":17", ":17"],
  ["elsewhere:7.0", "elsewhere:7"],
  ["192.0.2.7:7", "192.0.2.7:7"],
  ["none", "none"],
  ["", ""],
])("%s is another one", (display, name) => {
  expect(displayName(display)).toBe(name);
});
