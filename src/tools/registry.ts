import type { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { devtoolsNames } from "./answer/devtools.ts";
import { act } from "./elements/act.ts";
import { androidClick, androidLongPress, androidPressKey, androidSwipe, androidTypeText } from "./android/act.ts";
import { androidFindText, androidScreenshot, androidSnapshot } from "./android/look.ts";
import {
  androidConnect,
  androidDisconnect,
  androidGetCurrentActivity,
  androidGetDisplayInfo,
  androidLaunchApp,
  androidListApps,
  androidListDevices,
} from "./android/devices.ts";
import { launchApp, listApps, quitApp } from "./desktop/apps.ts";
import { axClick, axExpand, axFocus, axScroll, axSelect, axSetValue, axToggle } from "./elements/ax.ts";
import { listCommands, runCommand } from "./commands/commands.ts";
import { compareScreenshots } from "./vision/compare.ts";
import { describeScreen } from "./vision/describe-screen.ts";
import {
  cdpClick,
  cdpEvaluateScript,
  cdpFill,
  cdpHandleDialog,
  cdpHover,
  cdpPressKey,
  cdpTypeText,
} from "./browser/act.ts";
import { cdpElementAtPoint, cdpFindElements, cdpTakeDomSnapshot, cdpWaitFor } from "./browser/look.ts";
import {
  cdpClosePage,
  cdpConnect,
  cdpClose,
  cdpDisconnect,
  cdpLaunch,
  cdpListPages,
  cdpNavigate,
  cdpNewPage,
  cdpSelectPage,
} from "./browser/pages.ts";
import { getClipboard, setClipboard } from "./desktop/clipboard.ts";
import { debugLaunch, debugUi, debugUiAction } from "./compat/debug.ts";
import { uiCapture } from "./compat/ui-capture.ts";
import { uiClick, uiFocusWindow, uiGetElement, uiListWindows, uiMouseMove, uiType, uiWait } from "./compat/ui.ts";
import { findImage } from "./vision/find-image.ts";
import { findText } from "./elements/find-text.ts";
import { elementAtPoint, findElements, getFocusedElement, takeAxSnapshot } from "./elements/elements.ts";
import { pressKey, typeText } from "./desktop/keyboard.ts";
import { loadImage } from "./vision/load-image.ts";
import { ocr } from "./vision/ocr.ts";
import { click, drag, getMousePosition, moveMouse, scroll } from "./desktop/pointer.ts";
import { hideOverlay, showOverlay } from "./observe/overlay.ts";
import { getHoverEvents, startHoverTracking, stopHoverTracking } from "./observe/hover.ts";
import { pickElement } from "./observe/pick.ts";
import { getUiEvents, startWatching, stopWatching } from "./observe/watch.ts";
import { startRecording, stopRecording } from "./observe/record.ts";
import { readText } from "./elements/read-text.ts";
import { clickRegion, markRegions } from "./vision/regions.ts";
import { startDemonstration, stopDemonstration } from "./flows/demonstration.ts";
import { checkFlow, runFlow } from "./flows/flow-files.ts";
import { runSteps } from "./flows/run-steps.ts";
import { saveFlow } from "./flows/save-flow.ts";
import { runAgentTool } from "./agent/run-agent.ts";
import { listDisplays, takeScreenshot, takeWindowScreenshot } from "./desktop/screen.ts";
import { capabilities } from "./meta/capabilities.ts";
import { callToolTool } from "./meta/call-tool.ts";
import { findTools } from "./meta/find-tools.ts";
import { coreList, defaultList, type Showing } from "./listing.ts";
import { compatSets, toolSets, type AnyTool } from "./tool.ts";
import { waitFor } from "./desktop/wait.ts";
import { focusWindow, getActiveWindow, listWindows, setWindow } from "./desktop/windows.ts";

/** In the order shown to a model. */
const tools = [
  takeScreenshot,
  takeWindowScreenshot,
  listWindows,
  focusWindow,
  setWindow,
  getActiveWindow,
  listDisplays,
  launchApp,
  quitApp,
  listApps,
  click,
  typeText,
  pressKey,
  scroll,
  drag,
  moveMouse,
  getMousePosition,
  getClipboard,
  setClipboard,
  takeAxSnapshot,
  findText,
  findElements,
  elementAtPoint,
  getFocusedElement,
  readText,
  axClick,
  axSetValue,
  axSelect,
  axToggle,
  axExpand,
  axScroll,
  axFocus,
  act,
  waitFor,
  ocr,
  loadImage,
  findImage,
  compareScreenshots,
  markRegions,
  clickRegion,
  describeScreen,
  startRecording,
  stopRecording,
  startHoverTracking,
  getHoverEvents,
  stopHoverTracking,
  showOverlay,
  hideOverlay,
  pickElement,
  startWatching,
  getUiEvents,
  stopWatching,
  cdpConnect,
  cdpLaunch,
  cdpDisconnect,
  cdpClose,
  cdpFindElements,
  cdpTakeDomSnapshot,
  cdpClick,
  cdpHover,
  cdpFill,
  cdpPressKey,
  cdpTypeText,
  cdpHandleDialog,
  cdpNavigate,
  cdpNewPage,
  cdpClosePage,
  cdpWaitFor,
  cdpEvaluateScript,
  cdpListPages,
  cdpSelectPage,
  cdpElementAtPoint,
  androidListDevices,
  androidConnect,
  androidDisconnect,
  androidScreenshot,
  androidSnapshot,
  androidFindText,
  androidClick,
  androidLongPress,
  androidSwipe,
  androidTypeText,
  androidPressKey,
  androidLaunchApp,
  androidListApps,
  androidGetDisplayInfo,
  androidGetCurrentActivity,
  listCommands,
  runCommand,
  runSteps,
  saveFlow,
  startDemonstration,
  stopDemonstration,
  runFlow,
  checkFlow,
  runAgentTool,
  capabilities,
  findTools,
  callToolTool,
  uiCapture,
  uiListWindows,
  uiClick,
  uiType,
  uiMouseMove,
  uiGetElement,
  uiFocusWindow,
  uiWait,
  debugLaunch,
  debugUi,
  debugUiAction,
] as const;

/** In the order shown to a model, their own types erased. */
export const allTools: readonly AnyTool[] = tools;

type Tools = (typeof tools)[number];
/** The name of any tool. */
export type ToolName = Tools["name"];
type ToolNamed<Name extends ToolName> = Extract<Tools, { readonly name: Name }>;
/** What a call of the tool takes. */
export type ToolInput<Name extends ToolName> = z.input<ToolNamed<Name>["input"]>;
/** What a call of the tool answers. */
export type ToolOutput<Name extends ToolName> = z.output<ToolNamed<Name>["output"]>;

/**
 * The tools that may be called: any of "default" (everything except the compatibility sets), "all", "core", "devtools"
 * and the names of sets. Whoever names less than "default" limits what can be reached.
 */
export function selectTools(sets: readonly string[], from: readonly AnyTool[] = allTools): readonly AnyTool[] {
  const words = readSets(sets);
  return from.filter(
    (tool) =>
      isNamed(tool, words) ||
      (words.includes("default") && !compatSets.includes(tool.set)) ||
      (words.includes("core") && coreList.includes(tool.name)),
  );
}

/** How the list shows each of these tools: those chosen by "default" and "core" briefly, those of a named set whole. */
export function showingOf(sets: readonly string[]): (tool: AnyTool) => Showing {
  const words = readSets(sets);
  return (tool) => {
    if (isNamed(tool, words)) return "whole";
    const isBrief =
      (words.includes("default") && defaultList.includes(tool.name)) ||
      (words.includes("core") && coreList.includes(tool.name));
    return isBrief ? "brief" : "unlisted";
  };
}

const isNamed = (tool: AnyTool, words: readonly string[]): boolean =>
  words.includes("all") ||
  words.includes(tool.set) ||
  (words.includes("devtools") && devtoolsNames.includes(tool.name));

function readSets(sets: readonly string[]): readonly string[] {
  const words = sets.map((word) => word.trim().toLowerCase());
  const known: readonly string[] = ["default", "all", "core", "devtools", ...toolSets];
  for (const word of words) {
    if (known.includes(word)) continue;
    const near = nearest(word, known);
    throw new ToolError("invalid_argument", `Unknown tool set "${word}".`, {
      hint: near ? `Did you mean "${near}"?` : `Sets: ${known.join(", ")}.`,
    });
  }
  return words;
}
