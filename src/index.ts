/** What programs that embed handsight may rely on. */
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
