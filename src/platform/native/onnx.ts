import { loadKoffi, loadLibrary } from "./ffi.ts";

/**
 * Indices in OrtApi, ONNX Runtime's function table, with parameters. onnxruntime_c_api.h only appends to it and
 * asserts the indices of each release; everything used here has been there since 1.5.
 */
const table = {
  GetErrorMessage: [2, "void *"],
  CreateEnv: [3, "int", "str", "void *"],
  CreateSessionFromArray: [8, "void *", "void *", "size_t", "void *", "void *"],
  Run: [9, "void *", "void *", "void *", "void *", "size_t", "void *", "size_t", "void *"],
  CreateSessionOptions: [10, "void *"],
  DisableMemPattern: [17, "void *"],
  DisableCpuMemArena: [19, "void *"],
  SetIntraOpNumThreads: [24, "void *", "int"],
  SetInterOpNumThreads: [25, "void *", "int"],
  SessionGetInputName: [36, "void *", "size_t", "void *", "void *"],
  SessionGetOutputName: [37, "void *", "size_t", "void *", "void *"],
  CreateTensorWithDataAsOrtValue: [49, "void *", "void *", "size_t", "void *", "size_t", "int", "void *"],
  GetTensorMutableData: [51, "void *", "void *"],
  GetDimensionsCount: [61, "void *", "void *"],
  GetDimensions: [62, "void *", "void *", "size_t"],
  GetTensorTypeAndShape: [65, "void *", "void *"],
  CreateCpuMemoryInfo: [69, "int", "int", "void *"],
  GetAllocatorWithDefaultOptions: [78, "void *"],
  ReleaseStatus: [93, "void *"],
  ReleaseValue: [96, "void *"],
  ReleaseTensorTypeAndShapeInfo: [99, "void *"],
  ReleaseSessionOptions: [100, "void *"],
  AddSessionConfigEntry: [130, "void *", "str", "str"],
} as const;
const apiVersion = 17;
// Values of enums in that header.
const logErrors = 3;
const deviceAllocator = 0;
const floats = 1;

type Name = keyof typeof table;
type Address = bigint;
type Call = (...values: readonly unknown[]) => unknown;

interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface Network {
  readonly run: (data: Float32Array, dims: readonly number[]) => Tensor;
}

/** The part of ONNX Runtime that we use, opened once: functions that return a status throw its message. */
interface Runtime {
  readonly call: (name: Name, ...values: readonly unknown[]) => void;
  /** For functions whose last parameter receives the result; returns that. */
  readonly make: (name: Name, ...values: readonly unknown[]) => Address;
  readonly release: (
    name: "ReleaseValue" | "ReleaseTensorTypeAndShapeInfo" | "ReleaseSessionOptions",
    it: Address,
  ) => void;
  /** The memory at an address, without a copy. */
  readonly view: (at: Address, bytes: number) => ArrayBuffer;
  readonly env: Address;
  readonly memory: Address;
  readonly allocator: Address;
}

const opened = new Map<string, Runtime>();
/** koffi unloads a library that nothing references, even while functions found in its memory are in use. */
const loaded = new Set<object>();

/**
 * Loads an ONNX network into the ONNX Runtime at `library`. Uses one thread and never spins; a run blocks the calling
 * thread. Keeping memory between runs makes them faster, and keeps as much as the largest run needed.
 */
export function openNetwork(library: string, model: Uint8Array, { keepsMemory }: { keepsMemory: boolean }): Network {
  const runtime = opened.get(library) ?? openRuntime(library);
  opened.set(library, runtime);
  const session = openSession(runtime, model, keepsMemory);
  const names = {
    input: BigUint64Array.of(runtime.make("SessionGetInputName", session, 0, runtime.allocator)),
    output: BigUint64Array.of(runtime.make("SessionGetOutputName", session, 0, runtime.allocator)),
  };
  return {
    run(data, dims) {
      const sizes = BigInt64Array.from(dims, BigInt);
      const input = runtime.make(
        "CreateTensorWithDataAsOrtValue",
        runtime.memory,
        data,
        data.byteLength,
        sizes,
        dims.length,
        floats,
      );
      try {
        const inputs = BigUint64Array.of(input);
        const output = runtime.make("Run", session, null, names.input, inputs, 1, names.output, 1);
        // Only its address was passed on; using it here, after the call, keeps it from being collected during it.
        keepAlive(data);
        return take(runtime, output);
      } finally {
        runtime.release("ReleaseValue", input);
      }
    },
  };
}

function openSession({ call, make, release, env }: Runtime, model: Uint8Array, keepsMemory: boolean): Address {
  const options = make("CreateSessionOptions");
  call("SetIntraOpNumThreads", options, 1);
  call("SetInterOpNumThreads", options, 1);
  // Every line has a different width; plans made for one only get in the way of the next.
  call("DisableMemPattern", options);
  if (!keepsMemory) call("DisableCpuMemArena", options);
  // Training leaves weights so small that the processor falls back to slow microcode for them.
  call("AddSessionConfigEntry", options, "session.set_denormal_as_zero", "1");
  try {
    return make("CreateSessionFromArray", env, model, model.length, options);
  } finally {
    release("ReleaseSessionOptions", options);
  }
}

/** Copies the answer and releases the original. */
function take({ call, make, release, view }: Runtime, answer: Address): Tensor {
  const shape = make("GetTensorTypeAndShape", answer);
  const dims = new BigInt64Array(Number(make("GetDimensionsCount", shape)));
  call("GetDimensions", shape, dims, dims.length);
  const sizes = Array.from(dims, Number);
  const bytes = sizes.reduce((product, size) => product * size, Float32Array.BYTES_PER_ELEMENT);
  const data = new Float32Array(view(make("GetTensorMutableData", answer), bytes).slice(0));
  release("ReleaseTensorTypeAndShapeInfo", shape);
  release("ReleaseValue", answer);
  return { data, dims: sizes };
}

function openRuntime(path: string): Runtime {
  const koffi = loadKoffi();
  const library = loadLibrary([path]);
  if (!koffi || !library) throw new Error(`${path} cannot be loaded`);
  loaded.add(library);
  const functionAt = (table: Address, index: number, result: string, parameters: string[]): Call => {
    const at = koffi.decode(table, index * 8, "void *") as unknown;
    return koffi.decode(at, koffi.proto(result, parameters)) as Call;
  };
  const base = library.func("void *OrtGetApiBase()")() as Address;
  const api = functionAt(base, 0, "void *", ["uint32_t"])(apiVersion) as Address | null;
  if (api === null) throw new Error(`${path} is older than ONNX Runtime 1.${apiVersion}`);

  const functions = new Map<string, Call>();
  const named = (name: Name): Call => {
    const result = name === "GetErrorMessage" ? "str" : name.startsWith("Release") ? "void" : "void *";
    const [index, ...parameters] = table[name];
    const known = functions.get(name) ?? functionAt(api, index, result, parameters);
    functions.set(name, known);
    return known;
  };
  const call: Runtime["call"] = (name, ...values) => {
    const status = named(name)(...values);
    if (status === null) return;
    const message = String(named("GetErrorMessage")(status));
    named("ReleaseStatus")(status);
    throw new Error(`${name}: ${message}`);
  };
  const make: Runtime["make"] = (name, ...values) => {
    const made = new BigUint64Array(1);
    call(name, ...values, made);
    return made[0] ?? 0n;
  };
  return {
    call,
    make,
    release: (name, it) => void named(name)(it),
    view: (at, bytes) => koffi.view(at, bytes),
    env: make("CreateEnv", logErrors, "handsight"),
    memory: make("CreateCpuMemoryInfo", deviceAllocator, 0),
    allocator: make("GetAllocatorWithDefaultOptions"),
  };
}

/** A use that no optimiser can remove. */
const kept = new WeakSet<object>();
const keepAlive = (object: object): void => void kept.add(object);
