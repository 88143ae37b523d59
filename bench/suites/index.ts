import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Group } from "../group.ts";
import type { Table } from "../report.ts";
import { miniwob } from "./miniwob.ts";
import { osworldG } from "./osworld-g.ts";
import { pageNames } from "./page-names.ts";
import type { Suite } from "./suite.ts";

const all: readonly Suite[] = [pageNames, osworldG, miniwob];

/** Public suites, in folders that whoever runs this has fetched. None of their content is part of handsight. */
export const suites: Group = async ({ folders, showsMisses, tell }) => {
  const tables: Table[] = [];
  for (const folder of folders.map((each) => resolve(each))) {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    const suite = all.find((each) => each.recognises(folder));
    if (!suite) throw new Error(`${folder} is none of these suites: ${all.map(({ title }) => title).join(", ")}`);
    tables.push(...(await suite.run(folder, { showsMisses, tell })));
  }
  return tables;
};
