import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import type { RawServer } from "../../support/raw-server.ts";
import { expectDone, expectRefused, type Attack } from "./attack.ts";

export interface FileStage {
  readonly server: RawServer;
  /** A folder that tools may read from and write to, for this attack only. */
  readonly folder: string;
  /** A folder that they may not use. */
  readonly outside: string;
}

const precious = "precious";

function pipe(folder: string, name: string): string {
  execFileSync("mkfifo", [join(folder, name)]);
  return join(folder, name);
}

function foreign(folder: string, name: string): string {
  writeFileSync(join(folder, name), precious);
  return join(folder, name);
}

const expectIntact = (file: string): void => expect(readFileSync(file, "utf8")).toBe(precious);
const shoot = (server: RawServer, file_path: string) => server.call("take_screenshot", { mode: "screen", file_path });

async function expectCaptureRefused(server: RawServer, file_path: string): Promise<void> {
  const { result } = await server.call("ui_capture", { output: "file", file_path });
  expect(result?.structuredContent).toMatchObject({ Success: false, Error: expect.any(String) as string });
}

export const fileAttacks: readonly Attack<FileStage>[] = [
  {
    name: "load_image on a pipe nobody writes to",
    run: async ({ server, folder }) =>
      expectRefused(await server.call("load_image", { path: pipe(folder, "a.png") }), "invalid_argument"),
  },
  {
    name: "load_image on a pipe somebody holds open and never writes to",
    async run({ server, folder }) {
      const path = pipe(folder, "a.png");
      const held = openSync(path, constants.O_RDWR);
      expectRefused(await server.call("load_image", { path }), "invalid_argument");
      closeSync(held);
    },
  },
  {
    name: "load_image on a socket",
    async run({ server, folder }) {
      const path = join(folder, "a.png");
      const listening = createServer();
      await new Promise<void>((resolve) => listening.listen(path, resolve));
      expectRefused(await server.call("load_image", { path }), "invalid_argument");
      listening.close();
    },
  },
  {
    name: "load_image on a folder",
    run: async ({ server, folder }) =>
      expectRefused(await server.call("load_image", { path: folder }), "invalid_argument"),
  },
  {
    name: "load_image on a device",
    run: async ({ server }) => expectRefused(await server.call("load_image", { path: "/dev/zero" }), "denied"),
  },
  {
    name: "load_image on a link to a device",
    async run({ server, folder }) {
      symlinkSync("/dev/zero", join(folder, "a.png"));
      expectRefused(await server.call("load_image", { path: join(folder, "a.png") }), "denied");
    },
  },
  {
    name: "load_image on a file without end",
    async run({ server, folder }) {
      writeFileSync(join(folder, "a.png"), "");
      truncateSync(join(folder, "a.png"), 5_000_000_000);
      expectRefused(await server.call("load_image", { path: join(folder, "a.png") }), "invalid_argument");
    },
  },
  {
    name: "load_image on links that lead in a circle",
    async run({ server, folder }) {
      symlinkSync(join(folder, "b.png"), join(folder, "a.png"));
      symlinkSync(join(folder, "a.png"), join(folder, "b.png"));
      expectRefused(await server.call("load_image", { path: join(folder, "a.png") }), "denied");
    },
  },
  {
    name: "eight load_image on pipes at once, one for each thread that reads files",
    async run({ server, folder }) {
      const path = pipe(folder, "a.png");
      const answers = await Promise.all(Array.from({ length: 8 }, () => server.call("load_image", { path })));
      for (const answer of answers) expectRefused(answer, "invalid_argument");
    },
  },
  {
    name: "take_screenshot into a pipe",
    run: async ({ server, folder }) => expectRefused(await shoot(server, pipe(folder, "a.jpg")), "invalid_argument"),
  },
  {
    name: "take_screenshot over somebody's file",
    async run({ server, folder }) {
      const file = foreign(folder, "a.jpg");
      expectRefused(await shoot(server, file), "denied");
      expectIntact(file);
    },
  },
  {
    name: "take_screenshot over its own file, and then over what somebody put in its place",
    async run({ server, folder }) {
      const file = join(folder, "a.jpg");
      expectDone(await shoot(server, file));
      expectDone(await shoot(server, file));
      execFileSync("rm", [file]);
      foreign(folder, "a.jpg");
      expectRefused(await shoot(server, file), "denied");
      expectIntact(file);
    },
  },
  {
    name: "take_screenshot through a link to somebody's file",
    async run({ server, folder, outside }) {
      const file = foreign(outside, "a.jpg");
      symlinkSync(file, join(folder, "a.jpg"));
      symlinkSync(outside, join(folder, "way"));
      expectRefused(await shoot(server, join(folder, "a.jpg")), "denied");
      expectRefused(await shoot(server, join(folder, "way", "b.jpg")), "denied");
      expectIntact(file);
    },
  },
  {
    name: "take_screenshot over another name of somebody's file",
    async run({ server, folder }) {
      const file = foreign(folder, "precious.jpg");
      linkSync(file, join(folder, "a.jpg"));
      expectRefused(await shoot(server, join(folder, "a.jpg")), "denied");
      expectIntact(file);
    },
  },
  {
    name: "take_screenshot over a folder",
    async run({ server, folder }) {
      mkdirSync(join(folder, "a.jpg"));
      expectRefused(await shoot(server, join(folder, "a.jpg")), "invalid_argument");
    },
  },
  {
    name: "ui_capture into a pipe, and over somebody's file",
    async run({ server, folder }) {
      const file = foreign(folder, "a.png");
      await expectCaptureRefused(server, pipe(folder, "b.png"));
      await expectCaptureRefused(server, file);
      expectIntact(file);
    },
  },
  {
    name: "start_recording into a pipe",
    run: async ({ server, folder }) =>
      expectRefused(await server.call("start_recording", { output_dir: pipe(folder, "a") }), "invalid_argument"),
  },
  {
    name: "start_recording below /proc",
    run: async ({ server }) =>
      expectRefused(await server.call("start_recording", { output_dir: "/proc/nowhere/at/all" }), "denied"),
  },
  {
    name: "cdp_launch with a profile whose port is in a pipe",
    async run({ server, folder }) {
      pipe(folder, "DevToolsActivePort");
      const launch = { profile: folder, executable: "/bin/false", headless: true };
      expectRefused(await server.call("cdp_launch", launch), "process_not_running");
    },
  },
  {
    name: "cdp_launch with a profile that is a pipe",
    run: async ({ server, folder }) =>
      expectRefused(
        await server.call("cdp_launch", { profile: pipe(folder, "a"), executable: "/bin/false", headless: true }),
        "permission_missing",
        "process_not_running",
      ),
  },
];
