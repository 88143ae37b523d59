import { isMissing, type Contender, type Missing } from "./contenders/contender.ts";
import { closeContenders, openContenders, type ContenderName } from "./contenders/open.ts";
import { openEditor, toolkits, type Editor, type Toolkit } from "./editor.ts";
import type { Group } from "./group.ts";
import { absent, messageOf, type Row } from "./measure.ts";
import { allRight, type Table } from "./report.ts";
import { openDesktop } from "./scene.ts";

const sample = 'Héllo wörld — 你好 🎉 ß ñ "quotes" \\back';
const repetitions = 100;
const peerRepetitions = 10;
const peers: readonly ContenderName[] = ["xdotool", "nut-js"];
/** A text that has not changed for this long will not become right any more. */
const quietMs = 1500;

/** Not a race: what counts is how often the text arrives unchanged. */
export const typing: Group = async ({ tell }) => {
  const rows = new Map<Toolkit, Row[]>(toolkits.map((toolkit) => [toolkit, []]));
  for (const name of ["handsight", ...peers] as const) {
    // A desktop each: xdotool rewrites the keyboard layout while it types, and that must not be blamed on the next one.
    await using desktop = await openDesktop();
    const entries = await openContenders(name === "handsight" ? [name] : [name, "handsight"], desktop.env);
    const contender = entries[0];
    const eraser = entries.at(-1);
    try {
      for (const toolkit of toolkits) {
        tell(`${name} in ${toolkit}`);
        rows.get(toolkit)?.push(await score(contender, eraser, toolkit, desktop.env));
      }
    } finally {
      await closeContenders(entries);
    }
  }
  return [...rows].map(([toolkit, scores]): Table => ({
    title: `The test string typed into ${toolkit}`,
    rows: scores,
    verdicts: scores.filter(({ kind }) => kind === "ours").map((row) => allRight(row, repetitions)),
  }));
};

async function score(
  contender: Contender | Missing | undefined,
  eraser: Contender | Missing | undefined,
  toolkit: Toolkit,
  env: NodeJS.ProcessEnv,
): Promise<Row> {
  if (!contender || isMissing(contender))
    return absent(contender?.name ?? "?", contender?.kind ?? "library", contender?.problem ?? "");
  const { name, kind } = contender;
  if (!eraser || isMissing(eraser)) return absent(name, kind, `nobody to empty the editor: ${eraser?.problem}`);
  try {
    await using editor = await openEditor(toolkit, env);
    const wanted = kind === "ours" ? repetitions : peerRepetitions;
    let right = 0;
    let wrong: string | undefined;
    for (let index = 0; index < wanted; index++) {
      await empty(editor, eraser);
      const [, shownAt] = await Promise.all([contender.run("type", { text: sample }), editor.becomes(sample, quietMs)]);
      if (shownAt === undefined) wrong = `arrived as ${JSON.stringify(editor.text)}`;
      else right += 1;
    }
    return { name, kind, unit: "right", p50: right, runs: wanted, failures: 0, note: wrong };
  } catch (error) {
    return absent(name, kind, messageOf(error));
  }
}

async function empty(editor: Editor, eraser: Contender): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    await eraser.run("clear");
    if ((await editor.becomes("", 1000)) !== undefined) return;
  }
  throw new Error(`the editor could not be emptied; it shows ${JSON.stringify(editor.text)}`);
}
