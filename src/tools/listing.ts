import { describeTool, type JsonSchema, type ToolDescription } from "./describe.ts";
import type { AnyTool } from "./tool.ts";

/** Whole: with the schema of its results and every argument. Brief: what a model needs for most calls. */
export type Showing = "whole" | "brief" | "unlisted";

/** An entry of `tools/list`. */
export type ListedTool = Omit<ToolDescription, "outputSchema"> & { readonly outputSchema?: JsonSchema };

/** Chosen by measurement: what most jobs need, and no two that a model would confuse. `find_tools` finds the rest. */
export const defaultList: readonly string[] = [
  "take_screenshot",
  "take_ax_snapshot",
  "find_text",
  "read_text",
  "list_windows",
  "set_window",
  "launch_app",
  "quit_app",
  "click",
  "type_text",
  "press_key",
  "scroll",
  "drag",
  "ax_set_value",
  "wait_for",
  "list_commands",
  "run_command",
  "run_steps",
  "get_clipboard",
  "set_clipboard",
  "cdp_launch",
  "cdp_connect",
  "cdp_navigate",
  "cdp_list_pages",
  "android_connect",
  "capabilities",
  "find_tools",
  "call_tool",
];

/** The smallest set with which an agent can do real work. */
export const coreList: readonly string[] = [
  "take_screenshot",
  "take_ax_snapshot",
  "list_windows",
  "focus_window",
  "launch_app",
  "click",
  "type_text",
  "press_key",
  "scroll",
  "wait_for",
];

/**
 * Arguments that a brief entry leaves out: second names, fine tuning, and ways to say a target that few callers need.
 * They work all the same, and `find_tools` shows them.
 */
const rareArguments: ReadonlySet<string> = new Set([
  "pid",
  "window_title",
  "within",
  "region",
  "region_id",
  "to_region",
  "to_region_id",
  "window_x",
  "window_y",
  "screenshot_origin_x",
  "screenshot_origin_y",
  "screenshot_scale",
  "clamp",
  "display_id",
  "image_id",
  "click_count",
  "delay_ms",
  "hold_ms",
  "steps",
  "step_ms",
  "settle_ms",
  "quiet_ms",
  "delivery",
  "quality",
  "max_bytes",
  "include_cursor",
  "bounds",
  "executable",
  "profile",
  "timeout",
  "socket",
]);

export function listTools(tools: readonly AnyTool[], showing: (tool: AnyTool) => Showing): ListedTool[] {
  const said = new Set<string>();
  return tools.flatMap((tool) => {
    const how = showing(tool);
    if (how === "unlisted") return [];
    return how === "whole" ? [describeTool(tool)] : [describeBriefly(tool, said)];
  });
}

type Schema = Readonly<Record<string, unknown>>;

/** `said` collects what the entries before have said about an argument: the same words are not repeated. */
function describeBriefly(tool: AnyTool, said: Set<string>): ListedTool {
  const { outputSchema: _, inputSchema, ...rest } = describeTool(tool);
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: Schema;
    readonly required?: readonly string[];
  };
  const fields = Object.entries(properties)
    .filter(([name]) => required.includes(name) || !rareArguments.has(name))
    .map(([name, schema]) => [name, withoutRepeating(name, withoutLimits(schema) as Schema, said)]);
  const brief = { type: "object" as const, properties: Object.fromEntries(fields) as Schema };
  return { ...rest, inputSchema: required.length === 0 ? brief : { ...brief, required } };
}

function withoutRepeating(name: string, schema: Schema, said: Set<string>): Schema {
  const { description, ...rest } = schema;
  if (typeof description !== "string") return schema;
  const text = `${name}: ${description}`;
  if (said.has(text)) return rest;
  said.add(text);
  return schema;
}

/** Keywords that the tool checks itself and explains when they are violated. */
const limits: ReadonlySet<string> = new Set([
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "pattern",
  "additionalProperties",
]);

function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !limits.has(key) && !saysNothing(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutLimits(value)]));
}

/** What is not given is off or empty anyway. */
const saysNothing = (key: string, value: unknown): boolean =>
  key === "default" && (value === false || (Array.isArray(value) && value.length === 0));
