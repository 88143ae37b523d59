import { createRequire } from "node:module";
import { ToolError } from "../../base/errors.ts";

/** What we use of onnxruntime-node, which comes without types and may not be installed. */
interface Runtime {
  readonly InferenceSession: { create(model: Uint8Array, options: Record<string, unknown>): Promise<Session> };
  readonly Tensor: new (type: "float32", data: Float32Array, dims: readonly number[]) => Tensor;
}

export interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
}

interface NetworkOptions {
  /** Between runs, which is faster; what looks at photographs would keep what the largest of them took. */
  readonly keepsMemory: boolean;
}

export interface LoadedNetwork {
  readonly run: (data: Float32Array, dims: readonly number[]) => Promise<Tensor>;
}

function loadRuntime(): Runtime {
  try {
    return createRequire(import.meta.url)("onnxruntime-node") as Runtime;
  } catch (cause) {
    throw new ToolError(
      "not_supported",
      "Text cannot be read: onnxruntime-node is not installed or does not load here.",
      {
        hint: "Run `npm install onnxruntime-node@1.17.0` where handsight is installed.",
        cause,
      },
    );
  }
}

/** One thread each: two helpers side by side are faster than one network on two threads, and nothing spins. */
export async function loadNetwork(model: Uint8Array, { keepsMemory }: NetworkOptions): Promise<LoadedNetwork> {
  const { InferenceSession, Tensor } = loadRuntime();
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    // Every line has another width; plans and arenas made for one are only in the way of the next.
    enableMemPattern: false,
    enableCpuMemArena: keepsMemory,
    extra: { session: { intra_op: { allow_spinning: "0" }, inter_op: { allow_spinning: "0" } } },
  });
  const [input = ""] = session.inputNames;
  const [output = ""] = session.outputNames;
  return {
    async run(data, dims) {
      const answer = (await session.run({ [input]: new Tensor("float32", data, dims) }))[output];
      if (!answer) throw new Error(`the network gave no ${output}`);
      return answer;
    },
  };
}
