import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { bomb } from "../bomb.ts";

/** File names for tools: ordinary ones, and some that only look like files. */
export interface Files {
  readonly picture: string;
  /** Small enough for a call's arguments. */
  readonly pictureBase64: string;
  /** None is a picture that can be read or replaced, and some never end. */
  readonly odd: readonly string[];
  readonly folder: string;
}

/** Below the server's TMPDIR, where its tools may read and write. */
export async function makeFiles(tmp: string): Promise<Files> {
  const folder = join(tmp, "files");
  mkdirSync(folder);
  const at = (name: string): string => join(folder, name);
  const picture = await sharp({ create: { width: 48, height: 24, channels: 3, background: "#4a90d9" } })
    .png()
    .toBuffer();
  writeFileSync(at("picture.png"), picture);
  execFileSync("mkfifo", [at("fifo.png"), at("fifo")]);
  mkdirSync(at("folder.png"));
  mkdirSync(at("locked"), { mode: 0o500 });
  symlinkSync("/etc/passwd", at("out.png"));
  symlinkSync(at("loop.png"), at("loop.png"));
  symlinkSync("/dev/zero", at("zero.png"));
  writeFileSync(at("empty.png"), "");
  writeFileSync(at("half.png"), picture.subarray(0, picture.length / 2));
  writeFileSync(at("bomb.png"), bomb(20_000, 20_000));
  writeFileSync(at("huge.png"), picture);
  // Sparse: it takes no space on the disk.
  truncateSync(at("huge.png"), 3e9);
  const odd = [
    "fifo.png",
    "fifo",
    "folder.png",
    "out.png",
    "loop.png",
    "zero.png",
    "empty.png",
    "half.png",
    "bomb.png",
    "huge.png",
  ];
  return {
    picture: at("picture.png"),
    pictureBase64: picture.toString("base64"),
    odd: [
      ...odd.map(at),
      "/dev/zero",
      "/dev/stdin",
      "/proc/self/mem",
      "/proc/kmsg",
      at("missing.png"),
      `${at("x")}\0.png`,
    ],
    folder,
  };
}
