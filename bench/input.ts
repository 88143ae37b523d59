import { isMissing, type Contender, type Missing } from "./contenders/contender.ts";
import { closeContenders, openContenders, type ContenderName } from "./contenders/open.ts";
import { openButtonWindow, type ButtonWindow } from "./button-window.ts";
import { openEditor, type Editor } from "./editor.ts";
import type { Group } from "./group.ts";
import { absent, race, type Row, type Runner, type Sample } from "./measure.ts";
import { fasterThan, type Table } from "./report.ts";
import { openDesktop } from "./scene.ts";

const clickCount = 100;
const names: readonly ContenderName[] = ["handsight", "nut-js", "xdotool", "xdotool --delay 0"];
const clickNotes: Readonly<Record<string, string>> = {
  "nut-js": "its delays set to 0",
  xdotool: "a process per click; waits 100 ms after it, its default",
  "xdotool --delay 0": "a process per click",
};
const typingRounds = 8;
/** 1 000 characters that every contender can type: no character outside the layout. */
const letters = "The quick brown fox jumps over the lazy dog, 12 times a day. ".repeat(20).slice(0, 1000);

export const input: Group = async ({ rounds, tell }) => {
  await using desktop = await openDesktop();
  const entries = await openContenders(names, desktop.env);
  try {
    tell(`${clickCount} clicks`);
    const clicks = await raceClicks(entries, desktop.env, rounds);
    tell("1 000 characters");
    const typing = await raceTyping(entries, desktop.env, Math.min(rounds, typingRounds));
    return [
      {
        title: `${clickCount} clicks in a row, time of one`,
        rows: clicks,
        verdicts: [fasterThan(clicks, "nut-js", 4), fasterThan(clicks, "xdotool", 100)],
      },
      { title: "1 000 characters into a GTK 3 editor, until it shows them", rows: typing, verdicts: [] },
    ] satisfies Table[];
  } finally {
    await closeContenders(entries);
  }
};

async function raceClicks(
  entries: readonly (Contender | Missing)[],
  env: NodeJS.ProcessEnv,
  rounds: number,
): Promise<Row[]> {
  using window = await openButtonWindow(env);
  const runners = able(entries, "click").map((contender): Runner => {
    const isCommand = contender.kind === "command";
    return {
      name: contender.name,
      kind: contender.kind,
      note: clickNotes[contender.name],
      everyRounds: isCommand ? 5 : 1,
      run: () => click(contender, window, isCommand ? clickCount / 5 : clickCount),
    };
  });
  return [...(await race(runners, rounds)), ...reasons(entries)];
}

/** The time of one: all clicks, until the call has returned and the window has the last release. */
async function click(contender: Contender, window: ButtonWindow, count: number): Promise<Sample> {
  const [x, y] = [200, 300];
  const [done, releases] = await Promise.all([contender.run("click", { x, y, count }), window.releases(count)]);
  const stray = releases.findIndex((release, step) => release.x !== x + step || release.y !== y);
  if (stray >= 0) throw new Error(`click ${stray} landed on ${releases[stray]?.x},${releases[stray]?.y}`);
  const end = Math.max(done.startedAt + done.ms, releases.at(-1)?.at ?? 0);
  return { ms: (end - done.startedAt) / count };
}

async function raceTyping(
  entries: readonly (Contender | Missing)[],
  env: NodeJS.ProcessEnv,
  rounds: number,
): Promise<Row[]> {
  await using editor = await openEditor("gtk3", env);
  const eraser = entries.find((entry): entry is Contender => entry.name === "handsight" && !isMissing(entry));
  if (!eraser) return reasons(entries);
  const runners = able(entries, "type").map((contender): Runner => {
    const note = contender.name === "xdotool" ? "12 ms between keys, its default" : undefined;
    return {
      name: contender.name,
      kind: contender.kind,
      note,
      everyRounds: contender.name === "xdotool" ? 4 : 1,
      run: () => type(contender, editor, eraser),
    };
  });
  return [...(await race(runners, rounds)), ...reasons(entries)];
}

async function type(contender: Contender, editor: Editor, eraser: Contender): Promise<Sample> {
  await eraser.run("clear");
  if ((await editor.becomes("", 2000)) === undefined) throw new Error("the editor could not be emptied");
  const [done, shownAt] = await Promise.all([contender.run("type", { text: letters }), editor.becomes(letters, 2000)]);
  if (shownAt === undefined) throw new Error(`wrong text (${describeLoss(editor.text)})`);
  return { ms: shownAt - done.startedAt };
}

function describeLoss(text: string): string {
  const at = [...letters].findIndex((letter, index) => text[index] !== letter);
  return `${text.length} of ${letters.length} characters, first difference at ${at}`;
}

const able = (entries: readonly (Contender | Missing)[], task: string): Contender[] =>
  entries.filter((entry): entry is Contender => !isMissing(entry) && entry.tasks.includes(task));

const reasons = (entries: readonly (Contender | Missing)[]): Row[] =>
  entries.filter(isMissing).map(({ name, kind, problem }) => absent(name, kind, problem));
