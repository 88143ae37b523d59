import { z } from "zod";
import type { AppCommand } from "../../platform/backend.ts";
import { fitsQuery } from "../../surface/commands/find-command.ts";
import { commandWindow, listCommands as readCommands } from "../../surface/commands/list-commands.ts";
import { openMenus } from "../../surface/commands/open-menus.ts";
import { defineAction } from "../action.ts";
import { actionResult, readWindowQuery, settleMs, windowFields } from "../schema.ts";
import { defineTool } from "../tool.ts";

const commandRecord = z.object({
  path: z.array(z.string()),
  name: z.string(),
  shortcut: z.string().optional(),
  enabled: z.boolean(),
  checked: z.boolean().optional(),
  source: z.enum(["menu", "toolbar", "action"]),
  id: z.string(),
});

function toRecord({ path, shortcut, isEnabled, isChecked, source, id }: AppCommand): z.input<typeof commandRecord> {
  return {
    path: [...path],
    name: path.at(-1) ?? "",
    ...(shortcut === undefined ? {} : { shortcut }),
    enabled: isEnabled,
    ...(isChecked === undefined ? {} : { checked: isChecked }),
    source,
    id,
  };
}

export const listCommands = defineTool({
  name: "list_commands",
  title: "List commands",
  summary: "Commands of an app's menus, tool bars and actions, with shortcuts and states, for run_command.",
  set: "commands",
  access: "observe",
  actsWith: "open",
  needs: ["commands", "windows"],
  input: z.strictObject({
    ...windowFields,
    query: z.string().max(200).optional().describe("Words to look for"),
    open: z.boolean().default(false).describe("Also open menus that have entries only while open"),
    max: z.int().min(1).max(2_000).default(100),
  }),
  output: z.object({
    window_id: z.number(),
    app_name: z.string(),
    commands: z.array(commandRecord),
    omitted: z.number().optional(),
    closed_menus: z.array(z.string()).optional(),
    note: z.string().optional(),
  }),
  positional: ["app_name", "query"],
  async run(input, { surface: open, signal }) {
    const surface = await open();
    const window = await commandWindow(surface, readWindowQuery(input), signal);
    const first = await readCommands(surface, window, signal);
    const opens = input.open && first.closed.length > 0;
    const listed = opens ? await openMenus(surface, first, signal) : first;
    const { query } = input;
    const fitting = query === undefined ? listed.commands : listed.commands.filter((each) => fitsQuery(each, query));
    const commands = fitting.slice(0, input.max);
    const omitted = fitting.length - commands.length;
    const closed = listed.closed.map(({ path }) => path.join(" > "));
    const notes = [
      ...(opens
        ? ["Menus were opened and closed: a menu button may have the focus now, so name the field to type into."]
        : []),
      ...(omitted > 0 ? [`${omitted} more: pass a query or a larger max.`] : []),
      ...(closed.length > 0 && !input.open ? ["The entries of closed menus are known once opened: open: true."] : []),
    ];
    return {
      data: {
        window_id: window.id,
        app_name: window.appName,
        commands: commands.map(toRecord),
        ...(omitted > 0 ? { omitted } : {}),
        ...(closed.length > 0 ? { closed_menus: closed } : {}),
        ...(notes.length > 0 ? { note: notes.join(" ") } : {}),
      },
    };
  },
});

export const runCommand = defineAction({
  name: "run_command",
  title: "Run a command",
  summary: "Run one command of an app by name or path, and verify it. Faster and surer than clicking through menus.",
  set: "commands",
  needs: ["commands", "windows"],
  input: z.strictObject({
    command: z.string().min(1).max(500).describe('E.g. "Save As", "File > Export > PDF"'),
    ...windowFields,
    settle_ms: settleMs,
  }),
  output: actionResult.extend({ command: z.string() }),
  positional: ["command"],
  acts: (input) => ({ do: "command", window: readWindowQuery(input), command: input.command }),
  adds: (input, acted) => ({ command: acted.command ?? input.command }),
});
