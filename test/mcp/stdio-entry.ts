import { parseArgs } from "node:util";
import { serveStdio } from "../../src/mcp/stdio.ts";
import { policyModes } from "../../src/policy/decide.ts";
import { openTestSession } from "../support/session.ts";

const { values } = parseArgs({ options: { policy: { type: "string" }, "dispose-ms": { type: "string" } } });
const policy = policyModes.find((mode) => mode === values.policy) ?? "allow";

const disposeMs = Number(values["dispose-ms"] ?? 0);

await serveStdio(openTestSession({ policy, disposeMs, tell: (event) => console.error(event) }));
process.exit(0);
