import { ToolError } from "../../../base/errors.ts";
import { DBusError } from "../dbus/errors.ts";

/** Turns another program's error, or its missing answer because it has ended, into an error a caller understands. */
export async function foreseen<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DBusError)) throw error;
    if (error.isGone) {
      throw new ToolError("process_not_running", "The program ended while it was asked about its elements.", {
        hint: "Call list_windows to see what is left.",
        cause: error,
      });
    }
    throw new ToolError("ax_error", `The program refused: ${error.message}.`, {
      hint: "Try again, or look at it with a screenshot and click.",
      cause: error,
    });
  }
}
