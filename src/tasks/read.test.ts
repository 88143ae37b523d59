import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseInstruction } from "../agent/models/rules/parse.ts";
import { chooseTasks, ownTasks, readTasks } from "./read.ts";
import { isPage } from "./task.ts";

const folder = ownTasks();
const tasks = readTasks(folder);

test("there are at least 25 tasks over at least six programs, pages, and some that cannot be done", () => {
  const programs = new Set(tasks.flatMap(({ open }) => (isPage(open) ? [] : [open.program])));
  expect(tasks.length).toBeGreaterThanOrEqual(25);
  expect(programs.size).toBeGreaterThanOrEqual(6);
  expect(tasks.filter(({ open }) => isPage(open)).length).toBeGreaterThanOrEqual(5);
  expect(tasks.filter(({ infeasible }) => infeasible).length).toBeGreaterThanOrEqual(3);
});

test("every page that is opened exists", () => {
  const pages = tasks.flatMap(({ open }) => (isPage(open) ? [join(folder, "pages", open.page)] : []));
  expect(pages.filter((page) => !existsSync(page))).toEqual([]);
});

test("the steps of every task are steps", () => {
  const unclear = tasks.flatMap(({ id, steps = "" }) =>
    parseInstruction(steps).flatMap(({ said, step }) => (step ? [] : [`${id}: ${said}`])),
  );
  expect(tasks.filter(({ steps }) => steps === undefined)).toEqual([]);
  expect(unclear).toEqual([]);
});

test("some are chosen by name or app", () => {
  const ids = (only: string) => chooseTasks(tasks, only).map(({ id }) => id);
  expect(ids("xterm")).toEqual(ids("xterm-*"));
  expect(ids("yad-form, page-signup")).toEqual(["page-signup", "yad-form"]);
  expect(() => ids("nothing-like-it")).toThrow('No task fits "nothing-like-it"');
});

test("a task that says something unknown is named with its file", () => {
  const own = mkdtempSync(join(tmpdir(), "handsight-tasks-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  expect(() => readTasks(own)).toThrow("There is no task");
  writeFileSync(join(own, "odd.json"), JSON.stringify({ app: "a", open: { program: "a" }, goal: "b", chek: [] }));
  expect(() => readTasks(own)).toThrow(/odd\.json: .*check/s);
  writeFileSync(join(own, "odd.json"), "{");
  expect(() => readTasks(own)).toThrow("is not JSON");
});
