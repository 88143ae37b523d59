import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Observation, Turn, VisionModel } from "../model.ts";
import { openAnthropic } from "./anthropic.ts";
import { openChat } from "./chat.ts";
import { factsOf, type Coordinates, type Vendor } from "./facts.ts";
import { openGemini } from "./gemini.ts";
import { defaultPatience, type Endpoint, type Patience } from "./http.ts";
import { openOpenAi } from "./openai.ts";
import type { WireOptions } from "./wire.ts";

/** How to reach a model; `modelUrl`, `modelKey`, … of the configuration. */
export interface ModelSettings {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** Whether it accepts pictures, if that does not follow from its name. */
  readonly sees?: boolean | undefined;
  /** Its coordinates in a picture, if they do not follow from its name. */
  readonly coordinates?: Coordinates | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The operating system of the desktop. */
  readonly system?: string | undefined;
  readonly patience?: Partial<Patience>;
}

interface Wire {
  readonly who: string;
  readonly url: string;
  /** The variable in which people set another server for all programs that use this vendor. */
  readonly urlFrom?: string;
  readonly path: string;
  readonly keyFrom: readonly string[];
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>;
  readonly open: (options: WireOptions) => VisionModel;
}

const bearer = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };

const wires: Readonly<Record<Vendor, Wire>> = {
  anthropic: {
    who: "Anthropic",
    url: "https://api.anthropic.com",
    urlFrom: "ANTHROPIC_BASE_URL",
    path: "/v1/messages",
    keyFrom: ["ANTHROPIC_API_KEY"],
    headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key === undefined ? {} : { "x-api-key": key }) }),
    open: openAnthropic,
  },
  openai: {
    who: "OpenAI",
    url: "https://api.openai.com/v1",
    urlFrom: "OPENAI_BASE_URL",
    path: "/responses",
    keyFrom: ["OPENAI_API_KEY"],
    headers: bearer,
    open: openOpenAi,
  },
  gemini: {
    who: "Gemini",
    url: "https://generativelanguage.googleapis.com/v1beta",
    path: "",
    keyFrom: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { "x-goog-api-key": key }),
    open: openGemini,
  },
  chat: {
    who: "the chat server",
    // Ollama's default address.
    url: "http://127.0.0.1:11434/v1",
    path: "/chat/completions",
    keyFrom: [],
    headers: bearer,
    open: openChat,
  },
};

const vendors = Object.keys(wires) as readonly Vendor[];

/** Opens "vendor:model". Nothing is sent before the first question. */
export function openModel(spec: string, settings: ModelSettings): VisionModel {
  const colon = spec.indexOf(":");
  const vendor = vendors.find((one) => one === spec.slice(0, colon));
  const model = spec.slice(colon + 1);
  if (vendor === undefined || model === "") throw unknownModel(spec, colon);
  const known = factsOf(vendor, model);
  const facts = {
    ...known,
    sees: settings.sees ?? known.sees,
    coordinates: settings.coordinates ?? known.coordinates,
  };
  const endpoint = endpointOf(vendor, settings);
  const opened = wires[vendor].open({ name: spec, model, facts, endpoint, system: settings.system });
  return facts.sees ? opened : blind(opened);
}

function endpointOf(vendor: Vendor, { url, key: given, env, patience }: ModelSettings): Endpoint {
  const wire = wires[vendor];
  const own = wire.urlFrom === undefined ? undefined : env[wire.urlFrom] || undefined;
  const base = needUrl(url ?? own ?? wire.url);
  const key = given ?? wire.keyFrom.map((name) => env[name]).find((value) => value !== undefined && value !== "");
  const keyFrom = [...wire.keyFrom, "HANDSIGHT_MODEL_KEY"].join(" or ");
  if (key === undefined && base === wire.url && wire.keyFrom.length > 0) {
    throw new ToolError("invalid_argument", `${wire.who} needs a key, and there is none.`, {
      hint: `Set ${keyFrom}; or use a model on this machine: chat:<name>.`,
    });
  }
  return {
    who: base === wire.url ? wire.who : `${wire.who} at ${new URL(base).host}`,
    url: `${base}${wire.path}`,
    headers: wire.headers(key),
    key,
    keyFrom,
    patience: { ...defaultPatience, ...patience },
  };
}

function needUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new ToolError("invalid_argument", "modelUrl must be an http or https address without a password in it.", {
      hint: 'For example "http://127.0.0.1:11434/v1".',
    });
  }
  return text.replace(/\/+$/, "");
}

function unknownModel(spec: string, colon: number): ToolError {
  const name = colon < 0 ? spec : spec.slice(0, colon);
  const near = nearest(name, vendors);
  return new ToolError("invalid_argument", `There is no model "${spec}".`, {
    hint: near
      ? `Did you mean "${near}:<model>"?`
      : `Write <vendor>:<model> with one of ${vendors.join(", ")}, for example anthropic:claude-opus-5-5.`,
  });
}

/** A model that does not see is never sent a picture, whatever it is given. */
function blind(model: VisionModel): VisionModel {
  const { name, limits } = model;
  const unseen = (observation: Observation): Observation => ({ ...observation, picture: undefined });
  return {
    name,
    limits,
    sees: false,
    next: (turn: Turn) =>
      model.next({
        ...turn,
        observation: unseen(turn.observation),
        history: turn.history.map((step) => ({
          ...step,
          observation: unseen(step.observation),
          keepsPicture: false,
        })),
      }),
  };
}
