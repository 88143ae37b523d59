import { setMaxListeners } from "node:events";
import { withAnySignal } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { stopSignal } from "../base/stop.ts";
import type { Session } from "../tools/session.ts";
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
  readonly #gates: Session["gate"][] = [];

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

  /** While the stop stands nobody is asked; when it comes, whoever waits for a person's answer waits no longer. */
  protect({ gate }: Pick<Session, "gate">): void {
    gate.needNoStop = (tool) => {
      this.#listen();
      this.#needNoStop(tool);
    };
    this.#gates.push(gate);
  }

  /** Aborts whatever acts or asks at this moment. */
  stop(): void {
    const running = this.#running;
    this.#running = new AbortController();
    const reason = new ToolError("cancelled", "The emergency stop ended the call.", { hint: resumeHint });
    for (const { questions } of this.#gates) questions.endAll(reason);
    running.abort(reason);
  }

  #needNoStop(tool: string): void {
    const stopped = readStop(this.#folders);
    if (stopped === undefined) return;
    throw new ToolError("denied", `${tool} is refused: "handsight stop" was used at ${stopped}.`, { hint: resumeHint });
  }

  #run(tool: AnyTool, input: never, context: ToolContext): ReturnType<AnyTool["run"]> {
    this.#listen();
    this.#needNoStop(tool.name);
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
