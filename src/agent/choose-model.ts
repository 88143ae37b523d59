import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { Eyes } from "./eyes.ts";
import type { VisionModel } from "./model.ts";

/** How to reach a model; `modelUrl`, `modelKey`, … of the configuration. */
export interface ModelAccess {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly sees?: boolean | undefined;
  readonly coordinates?: "pixels" | "grid" | undefined;
}

/** What a model is created from. */
export interface ModelSetup extends ModelAccess {
  /** The name it was chosen by: "anthropic:claude-opus-5-5". */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  /** The operating system of the desktop, for models that need it. */
  readonly system?: string | undefined;
  /** For models that look at the elements themselves. */
  readonly eyes: Eyes;
}

type Make = (setup: ModelSetup) => VisionModel | Promise<VisionModel>;

/** Every kind of model by its name; only the chosen one is loaded. */
const kinds: Readonly<Record<string, () => Promise<Make>>> = {
  rules: async () => (await import("./models/rules/model.ts")).openRules,
  anthropic: openRemote,
  openai: openRemote,
  gemini: openRemote,
  chat: openRemote,
};

async function openRemote(): Promise<Make> {
  const { openModel } = await import("./models/open.ts");
  return ({ name, ...settings }) => openModel(name, settings);
}

/** The model for a name such as "rules" or "openai:gpt-6". */
export async function chooseModel(setup: ModelSetup): Promise<VisionModel> {
  const { name } = setup;
  const [kind = ""] = name.split(":");
  const load = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (load) return (await load())(setup);
  const known = Object.keys(kinds);
  const near = nearest(kind, known);
  throw new ToolError("invalid_argument", `There is no model "${name}".`, {
    hint: near ? `Did you mean "${near}"?` : `Models: ${known.join(", ")}.`,
  });
}
