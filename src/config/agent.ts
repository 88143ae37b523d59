import type { Config } from "./options.ts";

/** The configured settings of the agent. */
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
