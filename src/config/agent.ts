import type { Config } from "./options.ts";

/** How the agent works, as it is configured. */
export const agentSettings = (config: Config) => ({
  model: config.model ?? "rules",
  access: {
    url: config.modelUrl,
    key: config.modelKey,
    sees: config.modelSees,
    coordinates: config.modelCoordinates,
  },
  limits: {
    maxSteps: config.maxSteps,
    maxSeconds: config.maxTime,
    maxTokens: config.maxTokens ?? Infinity,
    maxCost: config.maxCost ?? Infinity,
    minConfidence: config.minConfidence,
  },
  price: config.modelPrice,
});
