import { setMaxListeners } from "node:events";
import { withAnySignal } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { stopSignal } from "../base/stop.ts";
import type { Session } from "../tools/session.ts";
import { forInput, type AnyTool, type ToolContext } from "../tools/tool.ts";
import { readStop, registerProcess, runtimeFolders } from "../base/runtime.ts";

/**
 * The process side of the emergency stop. Every tool that does more than look, or keeps looking after its call, is
 * refused while the stop is active, and is aborted when it is triggered, so that it releases everything it holds.
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
      tool.access === "observe" && !outlives(tool) && tool.actsWith === undefined
        ? tool
        : {
            ...tool,
            run: async (input: never, context: ToolContext) => this.#run(forInput(tool, input), input, context),
          },
    );
  }

  /** While the stop is active nobody is asked; when it is triggered, pending questions end. */
  protect({ gate }: Pick<Session, "gate">): void {
    gate.needNoStop = (tool) => {
      this.#listen();
      this.#needNoStop(tool);
    };
    this.#gates.push(gate);
  }

  /** Aborts everything that acts or asks at this moment. */
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
    if (tool.access === "observe" && !outlives(tool)) return tool.run(input, context);
    this.#listen();
    this.#needNoStop(tool.name);
    const { signal: stopping } = this.#running;
    // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
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
      // Before registering: whoever finds the registration may signal at once, and an unhandled signal would end the
      // process.
      process.on(stopSignal, () => this.stop());
      process.once("exit", registerProcess(this.#folders));
    } catch {
      // No such signal here (Windows), or nowhere to register: then the stop takes effect from the next call on.
    }
  }
}

/** It goes on after its call, or holds the person's pointer during it. */
const outlives = ({ endedBy, watchesPerson }: AnyTool): boolean => endedBy !== undefined || watchesPerson === true;

const resumeHint = 'Only a person may allow input again, with "handsight resume".';
