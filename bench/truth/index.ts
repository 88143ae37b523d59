import { lightPrograms } from "../../test/support/truth/light-programs.ts";
import type { Judged } from "../../test/support/truth/cells.ts";
import { handleProgram, judgeProgram, type Connect, type Program } from "../../test/support/truth/program.ts";
import type { Group } from "../group.ts";
import { productEntry, startServer } from "../mcp-client.ts";
import { messageOf } from "../measure.ts";
import type { Table, Verdict } from "../report.ts";
import { heavyPrograms } from "./heavy-programs.ts";
import { otherPrograms } from "./other-programs.ts";

/** What handsight does on real programs and what it reports, against other programs and a person's hand. */
export const truth: Group = async ({ tell, only, showsMisses }) => {
  const tables: Table[] = [];
  for (const program of [...lightPrograms, ...heavyPrograms, ...otherPrograms]) {
    if (only !== undefined && !program.name.toLowerCase().includes(only.toLowerCase())) continue;
    tell(program.name);
    tables.push(await measure(program, showsMisses));
  }
  return tables;
};

async function measure(program: Program, showsMisses: boolean): Promise<Table> {
  const title = `${program.name}: what is reported is true, and a hand does the same`;
  const judged = await judgeProgram(program, connect).catch(messageOf);
  if (typeof judged === "string") return { title, rows: [], verdicts: [notMeasured("reported = true", judged)] };
  const byHand = await handleProgram(program).catch(messageOf);
  const isSame = (each: Judged, index: number): boolean => byHand[index] === each.seen;
  const lines = judged.map((each, index) => {
    const hand = typeof byHand === "string" ? "not tried" : isSame(each, index) ? "hand = ours" : "hand ≠ ours";
    return `  ${each.name.padEnd(36)} ${each.truth.padEnd(12)} ${each.told === each.truth ? "told so" : `told ${each.told}`}, ${hand}`;
  });
  const details = showsMisses
    ? judged.flatMap((each, index) => [
        ...(each.told === each.truth ? [] : [`    ${each.name}: ${JSON.stringify(each.details)}`]),
        ...(typeof byHand === "string" || isSame(each, index)
          ? []
          : [`    ${each.name}, ours\n${firstDifference(each.seen, byHand[index] ?? "")}`]),
      ])
    : [];
  const isTold = judged.filter(({ told, truth: isTrue }) => told === isTrue).length;
  const verdicts = [score("reported = true", isTold, judged.length)];
  if (typeof byHand === "string") verdicts.push(notMeasured("hand = ours", byHand));
  else verdicts.push(score("hand = ours", judged.filter(isSame).length, judged.length));
  return { title, rows: [], verdicts, closing: [...lines, ...details].join("\n") };
}

const score = (target: string, right: number, of: number): Verdict => ({
  target,
  figure: `${right} of ${of}`,
  state: right === of ? "met" : "MISSED",
});

const notMeasured = (target: string, figure: string): Verdict => ({ target, figure, state: "not measured" });

function firstDifference(ours: string, hand: string): string {
  const [own, other] = [ours.split("\n"), hand.split("\n")];
  const isOnlyIn = (list: readonly string[]) => (line: string) => !list.includes(line);
  const show = (mark: string, lines: readonly string[]): readonly string[] =>
    lines.slice(0, 12).map((line) => `      ${mark} ${line.slice(0, 200)}`);
  return [...show("ours", own.filter(isOnlyIn(other))), ...show("hand", other.filter(isOnlyIn(own)))].join("\n");
}

const connect: Connect = async (env) => {
  const server = await startServer(productEntry, ["mcp", "--policy", "allow", "--journal", "off"], env);
  return {
    call: async (tool, input) => (await server.ask(tool, (input ?? {}) as Record<string, unknown>)).data,
    [Symbol.asyncDispose]: server.close,
  };
};
