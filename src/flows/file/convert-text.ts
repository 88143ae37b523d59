import { ToolError } from "../../base/errors.ts";
import { convertMaestro, isMaestro, type Remark } from "../maestro/convert.ts";
import { positionIn, problemLine, type FlowProblem } from "./read-flow.ts";
import { writeFlow } from "./write-flow.ts";
import { readYaml } from "./yaml-document.ts";

export interface ConvertedText {
  readonly text: string;
  readonly unsupported: readonly FlowProblem[];
  readonly notes: readonly FlowProblem[];
}

/** A Maestro flow as the text of one of ours, with everything that could not be taken over. */
export function convertText(written: string, file: string): ConvertedText {
  const { documents, faults } = readYaml(written.replace(/^\uFEFF/, ""));
  if (faults.length > 0)
    throw new ToolError("invalid_argument", faults.map((fault) => problemLine({ file, ...fault })).join("\n"));
  const values = documents.map(({ value }) => value);
  if (!isMaestro(values))
    throw new ToolError("invalid_argument", `${file}:1:1: is no Maestro flow.`, {
      hint: "It has settings such as appId, then --- and a list of commands.",
    });
  const { flow, unsupported, notes } = convertMaestro(values);
  const place = ({ path, message }: Remark): FlowProblem => ({ file, ...positionIn(documents, path), message });
  const missing = unsupported.map(place);
  const comments = [
    `Converted from ${file}.`,
    ...missing.map(({ line, message }) => `Left out, not supported: line ${line}, ${message}`),
  ];
  return { text: writeFlow(flow, comments), unsupported: missing, notes: notes.map(place) };
}
