/** The public API for programs that embed handsight. */
export { actionSchema, type AgentAction } from "./agent/action.ts";
export type { AgentLimits, Price } from "./agent/budget.ts";
export {
  MalformedAnswer,
  type Decision,
  type Observation,
  type PastStep,
  type Turn,
  type Usage,
  type VisionModel,
} from "./agent/model.ts";
export type { Where } from "./agent/workplace.ts";
export { readAgentRuns, type AgentRun } from "./agent/read.ts";
export type { RunRecord, StepRecord, Verdict } from "./agent/record.ts";
export { runAgent, type AgentOptions, type AgentResult } from "./agent/run.ts";
export { Refusal, stopReasons, type StopReason } from "./agent/stop.ts";
export { openSession, type SessionOverrides } from "./app.ts";
export { errorCodes, ToolError, type ErrorCode, type ErrorEnvelope } from "./base/errors.ts";
export { loadConfig } from "./config/load.ts";
export type { Config } from "./config/options.ts";
export type { Backend } from "./platform/backend.ts";
export { openVirtualDesktop, type VirtualDesktop, type VirtualDesktopOptions } from "./platform/virtual/desktop.ts";
export { callTool, type CallOutcome, type CallRequest } from "./tools/call.ts";
export { describeTool, type ToolDescription } from "./tools/describe.ts";
export { allTools, selectTools } from "./tools/registry.ts";
export type { Session } from "./tools/session.ts";
export { defineTool, type Tool, type ToolContext, type ToolResult } from "./tools/tool.ts";
