/** The public API for programs that embed handsight. */
export type { AgentAction } from "./agent/action.ts";
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
export { readAgentRuns, type AgentRun } from "./agent/read.ts";
export type { RunRecord, StepRecord, Verdict } from "./agent/record.ts";
export type { AgentOptions, AgentResult } from "./agent/run.ts";
export { Refusal, stopReasons, type StopReason } from "./agent/stop.ts";
export type { Where } from "./agent/workplace.ts";
export type { Area } from "./api/area.ts";
export type { Browser, BrowserLaunchOptions, Page, PageInfo } from "./api/browser.ts";
export type { App, Clipboard, Desktop, LaunchOptions, Window, WindowFilter, WindowInfo } from "./api/desktop.ts";
export type { Device } from "./api/device.ts";
export type { ActionResult, ActOptions } from "./api/effect.ts";
export { expect, type ImageExpectation, type LocatorExpectation } from "./api/expect.ts";
export type { FlowOptions, FlowRun, Handsight } from "./api/handsight.ts";
export type { ImageLocator, ImageOptions } from "./api/image.ts";
export type {
  ClickOptions,
  ElementInfo,
  FilterOptions,
  Locator,
  ScreenshotOptions,
  ScrollOptions,
  WaitOptions,
} from "./api/locator.ts";
export type { NameOptions, RoleOptions, StateOptions } from "./api/path.ts";
export type { PictureOptions } from "./api/picture.ts";
export type { Scope } from "./api/scope.ts";
export { errorCodes, ToolError, type ErrorCode, type ErrorDetails, type ErrorEnvelope } from "./base/errors.ts";
export type { Rect } from "./base/geometry.ts";
export type { Role } from "./base/roles.ts";
export { open, runAgent, type OpenOptions } from "./open.ts";
export { openVirtualDesktop, type VirtualDesktop, type VirtualDesktopOptions } from "./platform/virtual/desktop.ts";
export type { Ask } from "./tools/caller.ts";
export type { Answer } from "./policy/decide.ts";
export type { Question } from "./tools/permission/questions.ts";
export type { ToolDescription } from "./tools/describe.ts";
export type { ToolInput, ToolName, ToolOutput } from "./tools/registry.ts";
