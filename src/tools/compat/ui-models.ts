import { z } from "zod";
import type { UiNode } from "../../base/node.ts";
import type { windowRecord } from "../desktop/windows.ts";

/** The records of the `ui_*` tools, in their spelling. */

export const windowInfo = z.object({
  Handle: z.number(),
  Title: z.string(),
  ProcessName: z.string(),
  ProcessId: z.number().describe("0 when unknown"),
  X: z.number(),
  Y: z.number(),
  Width: z.number(),
  Height: z.number(),
  IsVisible: z.boolean(),
  IsMinimized: z.boolean(),
  IsMaximized: z.boolean(),
  IsForeground: z.boolean(),
});

export function toWindowInfo(window: z.input<typeof windowRecord>): z.input<typeof windowInfo> {
  const { x, y, width, height } = window.bounds;
  return {
    Handle: window.window_id,
    Title: window.title,
    ProcessName: window.process_name,
    ProcessId: window.pid ?? 0,
    X: x,
    Y: y,
    Width: width,
    Height: height,
    IsVisible: window.is_visible,
    IsMinimized: window.is_minimized,
    IsMaximized: window.is_maximized,
    IsForeground: window.is_foreground,
  };
}

export const uiElement = z.object({
  AutomationId: z.string(),
  Name: z.string(),
  ClassName: z.string(),
  ControlType: z.string().describe("First part of a selector: Button, TextBox, …"),
  X: z.number(),
  Y: z.number(),
  Width: z.number(),
  Height: z.number(),
  IsEnabled: z.boolean(),
  IsVisible: z.boolean(),
  Value: z.string().nullable(),
  // Some clients cannot handle a recursive schema.
  Children: z.array(z.looseObject({})).describe("The same fields again"),
});

type UIElement = z.input<typeof uiElement>;

/** An element with its descendants. */
export function toUIElement(root: UiNode, below: readonly UiNode[] = []): UIElement {
  const made = new Map<string, UIElement>([[root.runtimeId, withoutChildren(root)]]);
  const top = made.get(root.runtimeId) as UIElement;
  for (const node of below) {
    if (made.has(node.runtimeId)) continue;
    const element = withoutChildren(node);
    made.set(node.runtimeId, element);
    const parent = node.parent === undefined ? undefined : made.get(node.parent);
    (parent ?? top).Children.push(element);
  }
  return top;
}

function withoutChildren(node: UiNode): UIElement {
  const { x, y, width, height } = node.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
  return {
    AutomationId: node.automationId ?? "",
    Name: node.name,
    ClassName: node.nativeRole,
    ControlType: controlType(node.role),
    X: x,
    Y: y,
    Width: width,
    Height: height,
    IsEnabled: node.states.includes("enabled"),
    IsVisible: node.states.includes("showing"),
    Value: node.value === undefined ? null : String(node.value),
    Children: [],
  };
}

/** "textbox" becomes TextBox; selectors accept both. */
export function controlType(role: string): string {
  const spaced = role.replace(/(?<=.)(bar|item|button|box|area|list|header)$/, " $1");
  return spaced.replaceAll(/(?:^| )(.)/g, (_match, letter: string) => letter.toUpperCase());
}
