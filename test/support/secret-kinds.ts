import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportTrace } from "../../src/agent/trace.ts";
import { startHandsight, type Handsight } from "./handsight.ts";
import { unzip } from "./unzip.ts";
import { removeFolder } from "./remove-folder.ts";

export interface SecretKind {
  readonly kind: string;
  readonly text: string;
  /** What may be found nowhere: the text itself, or each line and word of it that nothing else contains. */
  readonly pieces: readonly string[];
}

const long = Array.from({ length: 5_000 }, (_, index) => `L0ng${String(index).padStart(5, "0")}-%&|x;`).join("");

/** Ten kinds of secrets, other ones for every use of them. */
export function secretKinds(use: string): readonly SecretKind[] {
  const [head, tail] = [`h34d-${use}`, `t41l-${use}`];
  const keys = [1, 2, 3].map((index) => letterOf(use, index));
  const whole = (kind: string, text: string): SecretKind => ({ kind, text, pieces: [text.trim()] });
  return [
    whole("a password", `Pa55"w\\rd-${use}`),
    // No number of ours begins with a zero.
    whole("a PIN of four digits", `0${pinOf(use)}`),
    { kind: "a line break in it", text: `${head}n\n${tail}n`, pieces: [`${head}n`, `${tail}n`] },
    { kind: "a tab in it", text: `${head}t\t${tail}t`, pieces: [`${head}t`, `${tail}t`] },
    whole("blanks around it", `  bl4nk-${use}  `),
    whole("Unicode", `пароль-密码-${use}`),
    whole("one character", letterOf(use, 0)),
    { kind: "100 kB", text: long.slice(0, 100_000), pieces: ["L0ng00000", "L0ng04000"] },
    whole("the clipboard", `p4sted-${use}`),
    { kind: "key by key", text: keys.join(""), pieces: keys },
  ];
}

const hashOf = (use: string): number => [...use].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 149, 7);
const pinOf = (use: string): string => String(hashOf(use) + 100);
/** Letters that stand in no text of ours: each alone is found. */
const letterOf = (use: string, index: number): string => String.fromCodePoint(0x1401 + hashOf(use) * 4 + index);

/** The same text as it may stand in a file: in JSON, in JSON inside JSON, in HTML, in an address, in UTF-16, in base64. */
function formsOf(piece: string): readonly Buffer[] {
  const json = JSON.stringify(piece).slice(1, -1);
  const escaped = json.replaceAll(
    /[^\x20-\x7e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const html = piece.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const texts = [piece, json, escaped, JSON.stringify(json).slice(1, -1), html, encodeURIComponent(piece)];
  const bytes = Buffer.from(piece);
  // A short text in base64 is found by chance.
  const encoded =
    bytes.length < 9
      ? []
      : [0, 1, 2].map((offset) => {
          const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
          return text.slice(offset === 0 ? 0 : 4, -4);
        });
  return [...new Set([...texts, ...encoded])].map((text) => Buffer.from(text)).concat(Buffer.from(piece, "utf16le"));
}

/** Every place where a piece of a secret is: "file: kind (piece)". */
export function findSecrets(files: ReadonlyMap<string, Buffer>, kinds: readonly SecretKind[]): readonly string[] {
  const hits: string[] = [];
  for (const { kind, pieces } of kinds) {
    for (const piece of pieces) {
      const forms = formsOf(piece);
      for (const [name, bytes] of files)
        if (forms.some((form) => hasToken(bytes, form))) hits.push(`${name}: ${kind} (${piece})`);
    }
  }
  return hits;
}

/** Four digits in the middle of a hash or a time are none of a PIN. */
function hasToken(bytes: Buffer, form: Buffer): boolean {
  const isNumber = /^\d+$/.test(form.toString("latin1"));
  const isDigit = (at: number): boolean => /[\da-f.]/i.test(String.fromCharCode(bytes[at] ?? 0));
  for (let at = bytes.indexOf(form); at >= 0; at = bytes.indexOf(form, at + 1)) {
    if (!isNumber || (!isDigit(at - 1) && !isDigit(at + form.length))) return true;
  }
  return false;
}

// Two bytes of a picture are any character by chance, and text in pictures is the matter of other tests.
const isPicture = /\.(?:jpe?g|png|webp)$/;

/** All files below some folders, and what the runs look like as traces. */
export async function readRecords(runs: string, ...folders: readonly string[]): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const folder of [runs, ...folders]) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile() || isPicture.test(entry.name)) continue;
      files.set(
        join(entry.parentPath, entry.name).slice(folder.length + 1),
        await readFile(join(entry.parentPath, entry.name)),
      );
    }
  }
  for (const run of (await readdir(runs)).filter((name) => !name.startsWith("."))) {
    for (const [name, bytes] of unzip(exportTrace(join(runs, run))))
      if (!isPicture.test(name)) files.set(`trace of ${run}/${name}`, bytes);
  }
  return files;
}

export interface RecordedHandsight extends AsyncDisposable {
  readonly handsight: Handsight;
  /** Where secrets are found in everything it has written: journal, trees, reports, traces, log, temporary files. */
  readonly hits: (kinds: readonly SecretKind[]) => Promise<readonly string[]>;
  /** All of it as one text. */
  readonly written: () => Promise<string>;
}

/** A server that tells all it can in its log, with a folder of its own for temporary files. */
export async function startRecorded(env: NodeJS.ProcessEnv): Promise<RecordedHandsight> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-recorded-"));
  const log: string[] = [];
  const args = ["--tools", "all", "--log-level", "debug", "--settle-ms", "60"];
  const handsight = await startHandsight({ ...env, TMPDIR: folder }, args, folder, (text) => log.push(text));
  const files = async () => (await readRecords(handsight.runsDir, folder)).set("log", Buffer.from(log.join("")));
  return {
    handsight,
    hits: async (kinds) => findSecrets(await files(), kinds),
    written: async () => [...(await files()).values()].map((bytes) => bytes.toString("utf8")).join("\n"),
    async [Symbol.asyncDispose]() {
      await handsight[Symbol.asyncDispose]();
      await removeFolder(folder);
    },
  };
}

/** One way to enter text. */
export interface Way {
  readonly enter: (text: string) => Promise<unknown>;
  /** 100 kB are no trouble to it. */
  readonly takesLong?: boolean;
  /** For this kind alone. */
  readonly only?: string;
  /** Letter by letter: for short texts. */
  readonly isByKeys?: boolean;
}

export const eachKey = (press: (key: string) => Promise<unknown>): Way => ({
  isByKeys: true,
  async enter(text) {
    for (const key of text) await press(key);
  },
});

/** Enters every kind of secret in every way that can take it. */
export async function enterAll(kinds: readonly SecretKind[], ways: Readonly<Record<string, Way>>): Promise<void> {
  for (const { enter, takesLong = false, only, isByKeys = false } of Object.values(ways)) {
    for (const { kind, text } of kinds) {
      if (only === undefined ? (kind === "100 kB" && !takesLong) || (isByKeys && text.length > 4) : only !== kind)
        continue;
      await enter(text);
    }
  }
}
