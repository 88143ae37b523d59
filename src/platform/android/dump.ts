import { randomBytes } from "node:crypto";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { elseEnd, whenTold } from "./shell.ts";
import { readNodes, type Dump } from "./nodes.ts";
import { XmlReader } from "./xml.ts";
import { frontOfDisplays } from "./xml-windows.ts";

// It waits for a second without any event, ten at most, after starting a virtual machine.
const dumpMs = 15_000;
// One per process: two processes that use one device must not read each other's file.
const file = `/data/local/tmp/handsight-${randomBytes(4).toString("hex")}.xml`;

export interface DumpOptions extends CallOptions {
  /**
   * Reads the app in front on every display (Android 11 and later), instead of the window used last, which with
   * several displays may be on any of them.
   */
  readonly allDisplays: boolean;
}

/** By display. */
export type Dumps = ReadonlyMap<number, Dump>;

const countNodes = (dumps: Dumps): number => [...dumps.values()].reduce((sum, { nodes }) => sum + nodes.length, 0);

const empty = `: >${file}`;
const isScript = "handsight: a script";

/**
 * Leaves the output of uiautomator in `m`, and the elements in the file. On Android uiautomator is a script that
 * replaces itself with a virtual machine, so sourcing it saves a second shell. If it is anything else, it is run.
 */
const dump = (words: string): string => {
  const when = String.raw`read -r m </system/bin/uiautomator; case $m in \#!*/sh)`;
  return `${when} m=$(exec 2>&1; . /system/bin/${words}); m="${isScript}\n$m";; *) m=$(${words} 2>&1);; esac`;
};
/** The same, when it is known to be a script. */
const dumpWhenTold = (words: string): string => `m=$(${whenTold}; ${empty}; . /system/bin/${words}); ${elseEnd}`;

const answer = `r="$m\n$(<${file})"; m=`;

/** Reads the text of a dump. An unchanged screen gives the same text, and then the last result is reused. */
export class DumpReader {
  readonly #xml = new XmlReader();
  #text = "";
  #dumps: Dumps | undefined;
  /** Whether this device's uiautomator is a script, once known. */
  isScript = false;

  read(text: string): Dumps {
    if (this.#dumps && text === this.#text) return this.#dumps;
    const dumps = new Map([...frontOfDisplays(this.#xml.read(text))].map(([id, front]) => [id, readNodes(front)]));
    this.#text = text;
    this.#dumps = dumps;
    return dumps;
  }
}

/**
 * The elements of the screen. The file is emptied first: a failed dump leaves it alone, and it would show the
 * previous screen. The exit code is 0 in either case, so what counts is whether there is XML. Everything except
 * uiautomator is done by the shell itself: every program started costs a phone about ten milliseconds.
 */
export async function dumpScreen(
  connection: Connection,
  reader: DumpReader,
  { signal, allDisplays }: DumpOptions,
): Promise<Dumps> {
  const windows = allDisplays ? "--windows " : "";
  const attempt = async (given: string) => {
    const words = `uiautomator dump ${windows}${given}${file}`;
    const text = await connection.read(`${empty}; ${dump(words)}; ${answer}`, {
      signal,
      timeoutMs: dumpMs,
      output: "kept",
      after: empty,
      ready: reader.isScript ? `${dumpWhenTold(words)}; ${answer}` : undefined,
      what: "The UI dump",
    });
    reader.isScript ||= text.startsWith(isScript);
    const from = text.search(/<\?xml|<hierarchy/);
    if (from < 0) return { problem: text.replace(isScript, "") };
    const end = text.lastIndexOf(">");
    return { dump: reader.read(text.slice(from, end + 1)), problem: "" };
  };
  // Compressed leaves out unimportant elements and their events, so it works on screens that never come to rest.
  const first = await attempt("--compressed ");
  if (first.dump && countNodes(first.dump) > 0) return first.dump;
  const second = await attempt(first.dump ? "" : "--compressed ");
  if (second.dump && (countNodes(second.dump) > 0 || first.dump)) return second.dump;
  throw unavailable(`${second.problem}\n${first.problem}`);
}

/** Leaves nothing of ours on the device. */
export async function forgetDump(connection: Connection): Promise<void> {
  await connection.send(`rm -f ${file}`, { timeoutMs: 1_000 });
}

function unavailable(problem: string): ToolError {
  const look = "Use a screenshot (android_screenshot) or find_text, which reads the pixels.";
  if (/idle state/.test(problem)) {
    return new ToolError("ax_error", "UI tree unavailable: the screen keeps changing.", { hint: look });
  }
  if (/null root node/.test(problem)) {
    return new ToolError("ax_error", "UI tree unavailable: no window of the device is active.", {
      hint: `The screen may be off (android_press_key KEYCODE_WAKEUP), or another automation tool is connected. ${look}`,
    });
  }
  const said = problem
    .trim()
    .split("\n")
    .find((line) => line.trim() !== "");
  return new ToolError(
    "ax_error",
    `UI tree unavailable: ${said?.trim().slice(0, 200) ?? "uiautomator wrote nothing"}.`,
    {
      hint: `Another automation tool may be using it. ${look}`,
    },
  );
}
