import { setMaxListeners } from "node:events";
import { withAnySignal } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { stopSignal } from "../base/stop.ts";
import type { AnyTool, ToolContext } from "../tools/tool.ts";
import { readStop, registerProcess, runtimeFolders } from "../base/runtime.ts";

/**
 * The process side of the emergency stop. Every tool that does more than look, or goes on looking after its call, is refused
 * while the stop stands, and is aborted when it comes, which makes it release all it holds.
 */
export class EmergencyStop {
  readonly #folders: readonly string[];
  #running = new AbortController();
  #isListening = false;

  constructor(folders: readonly string[] = runtimeFolders()) {
    this.#folders = folders;
  }

  guard(tools: readonly AnyTool[]): readonly AnyTool[] {
    return tools.map((tool) =>
      tool.access === "observe" && tool.endedBy === undefined
        ? tool
        : { ...tool, run: async (input: never, context: ToolContext) => this.#run(tool, input, context) },
    );
  }

  /** Aborts whatever acts at this moment. */
  stop(): void {
    const running = this.#running;
    this.#running = new AbortController();
    running.abort(new ToolError("cancelled", "The emergency stop ended the call.", { hint: resumeHint }));
  }

  #run(tool: AnyTool, input: never, context: ToolContext): ReturnType<AnyTool["run"]> {
    this.#listen();
    const stopped = readStop(this.#folders);
    if (stopped !== undefined) {
      throw new ToolError("denied", `${tool.name} is refused: "handsight stop" was used at ${stopped}.`, {
        hint: resumeHint,
      });
    }
    const { signal: stopping } = this.#running;
    // Every request in flight listens; Node takes more than ten for a leak and says so on stderr.
    setMaxListeners(0, stopping);
    return withAnySignal([context.signal, stopping], (signal) => {
      setMaxListeners(0, signal);
      return tool.run(input, { ...context, signal, lasting: { ...context.lasting, stopping } });
    });
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    try {
      // Before the note: whoever reads the note may signal at once, and an unheard signal ends the process.
      process.on(stopSignal, () => this.stop());
      process.once("exit", registerProcess(this.#folders));
    } catch {
      // No such signal here (Windows), or no place to write: the stop then holds from the next call on.
    }
  }
}

const resumeHint = 'Only a person may allow input again, with "handsight resume".';
