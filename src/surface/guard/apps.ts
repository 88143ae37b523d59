import { ToolError } from "../../base/errors.ts";
import type { ForegroundApp, Permit } from "../../platform/devices.ts";
import type { Rules } from "../../policy/rules.ts";
import { needPackage } from "../../policy/urls.ts";
import { findBlocked, ruleAgainstTitle } from "../../policy/windows.ts";
import type { FindBlocked } from "./blocked.ts";

/** Checks whether the app in front may be touched and typed into; undefined when every app may be. */
export function permitApps(rules: Rules): Permit | undefined {
  if (!restricts(rules)) return undefined;
  return (front) => {
    const rule = front && ruleAgainstApp(front, rules);
    if (rule === undefined) return;
    // Names neither the app nor its activity: whoever asks may not know them.
    throw new ToolError("denied", `The app in front is blocked by ${rule}.`, {
      hint: "It cannot be seen or used. android_press_key KEYCODE_HOME leaves it.",
    });
  };
}

/** The app in front as it may be shown: of a blocked one, only that it is. */
export const shownApp = (front: ForegroundApp, rules: Rules): ForegroundApp =>
  ruleAgainstApp(front, rules) === undefined ? front : { ...front, package: "", activity: "[blocked]" };

const ruleAgainstApp = ({ package: name, activity }: ForegroundApp, rules: Rules): string | undefined =>
  (name === "" ? undefined : ruleAgainstPackage(name, rules)) ?? ruleAgainstTitle(activity, rules);

/** If every app may be used, finding out which one is in front would only cost time. */
const restricts = ({ packages, allowedWindowPatterns, blockedWindowPatterns }: Rules): boolean =>
  packages.block.length > 0 ||
  blockedWindowPatterns.length > 0 ||
  !packages.allow.includes("*") ||
  !allowedWindowPatterns.includes("*");

/** Finds the apps that may not be seen or used, by the rules for titles and packages; undefined when all may be. */
export function blockedApps(rules: Rules): FindBlocked | undefined {
  if (!restricts(rules)) return undefined;
  return (windows) => {
    const blocked = new Map(findBlocked(windows, rules));
    for (const window of windows) {
      const rule = window.appName === "" ? undefined : ruleAgainstPackage(window.appName, rules);
      if (rule !== undefined) blocked.set(window, rule);
    }
    return blocked;
  };
}

function ruleAgainstPackage(name: string, rules: Rules): string | undefined {
  try {
    needPackage(name, rules);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return "packages";
  }
}
