import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ToolError } from "../../base/errors.ts";

export interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export interface LoadedNetwork {
  readonly run: (data: Float32Array, dims: readonly number[]) => Tensor;
}

interface NetworkOptions {
  /**
   * Keep memory between runs, which is faster; a network for photographs would keep as much as the largest one took.
   */
  readonly keepsMemory: boolean;
}

/** Loads a network into the ONNX Runtime at `library`. Only code below platform/ calls native code. */
export type OpenNetwork = (library: string, model: Uint8Array, options: NetworkOptions) => LoadedNetwork;

/**
 * Packages that contain ONNX Runtime as a plain library, and its file name; npm installs the one for this machine.
 */
const carriers = [
  ["sherpa-onnx-linux-x64", "libonnxruntime.so"],
  ["sherpa-onnx-linux-arm64", "libonnxruntime.so"],
  ["sherpa-onnx-darwin-arm64", "libonnxruntime.dylib"],
  ["sherpa-onnx-darwin-x64", "libonnxruntime.dylib"],
  ["sherpa-onnx-win-x64", "onnxruntime.dll"],
] as const;

/** Where ONNX Runtime is, if it is installed. */
export function findRuntime(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  for (const [name, file] of carriers) {
    try {
      const library = join(dirname(resolve(`${name}/package.json`)), file);
      if (existsSync(library)) return library;
    } catch {
      continue;
    }
  }
  return undefined;
}

export const missingRuntime =
  "ONNX Runtime is not installed: none of the optional packages sherpa-onnx-linux-x64, sherpa-onnx-linux-arm64, " +
  "sherpa-onnx-darwin-arm64, sherpa-onnx-darwin-x64 and sherpa-onnx-win-x64 is there";
export const installRuntime =
  "Install handsight again without --omit=optional; npm picks the package that fits the machine.";

/** Opens networks; without a runtime, the error says what to do. */
export function loaderOf(open: OpenNetwork): (model: Uint8Array, options: NetworkOptions) => LoadedNetwork {
  return (model, options) => {
    const library = findRuntime();
    if (library === undefined) {
      throw new ToolError("not_supported", `Text cannot be read: ${missingRuntime}.`, { hint: installRuntime });
    }
    try {
      return open(library, model, options);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ToolError("not_supported", `Text cannot be read: ONNX Runtime did not accept the network: ${why}`, {
        hint: installRuntime,
        cause,
      });
    }
  };
}
