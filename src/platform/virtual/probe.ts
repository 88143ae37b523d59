import { ToolError } from "../../base/errors.ts";
import type { Finding } from "../backend.ts";
import { needPrograms } from "./programs.ts";

/** Whether a private desktop can be opened here. Starts nothing. */
export function probePrivateDesktop(env: NodeJS.ProcessEnv): Omit<Finding, "ability"> {
  try {
    const { setpriv } = needPrograms(env);
    if (setpriv !== undefined) return { status: "ok", detail: "Every program it needs is installed." };
    const detail = "Works, but without setpriv its programs outlive a handsight that is killed with SIGKILL.";
    return { status: "limited", detail, fix: "sudo apt-get install util-linux" };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { hint } = error.details;
    return { status: "missing", detail: error.message, ...(hint === undefined ? {} : { fix: hint }) };
  }
}
