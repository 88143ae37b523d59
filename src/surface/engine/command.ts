import { ToolError } from "../../base/errors.ts";
import { parseChord, type Chord } from "../../base/keys.ts";
import type { UiNode } from "../../base/node.ts";
import { quote } from "../../base/quote.ts";
import type { AppCommand } from "../../platform/backend.ts";
import { findCommand, quotePath, showPath } from "../commands/find-command.ts";
import { commandWindow, listCommands, type WindowCommands } from "../commands/list-commands.ts";
import { clickNode, closeMenus, openMenu, waitForStep } from "../commands/menu-steps.ts";
import type { Expectation } from "../judge.ts";
import type { Surface } from "../surface.ts";
import { calm } from "../verify.ts";
import type { Acted, Dispatch, Located, PerformOptions, RunCommand } from "./action.ts";
import { click } from "./click.ts";
import { orElse } from "./delivery.ts";
import { focusedElement, focusNatively } from "./keyboard.ts";
import { observe } from "./observe.ts";
import type { Place } from "./place.ts";
import { needDecided } from "./reach.ts";

/** A command that was found, with the others of its window. */
export interface FoundCommand {
  readonly command: AppCommand;
  readonly all: WindowCommands;
}

/** Finds the command in the window; reads and opens nothing else. */
export async function locateCommand(
  surface: Surface,
  { window: query, command: wanted }: RunCommand,
  signal: AbortSignal,
): Promise<{ readonly place: Place; readonly command: FoundCommand }> {
  const window = await commandWindow(surface, query, signal);
  const all = await listCommands(surface, window, signal);
  const command = findCommand(all.commands, wanted, all.closed.length > 0);
  if (all.modal !== undefined) throw behindDialog(command, all.modal.title);
  // A closed menu may not know yet; an action without a menu does.
  if (!command.isEnabled && command.elements.length === 0) throw disabled(command);
  return { place: { window }, command: { command, all } };
}

const expect: Expectation = {
  focusCounts: true,
  pixelsCount: true,
  movingCounts: false,
  selectionCounts: true,
  mayWrite: true,
};

/** Runs the command natively if that is the same as choosing it, else by its shortcut, else in its menu. */
export async function runCommand(
  surface: Surface,
  { place, command: found }: Located<RunCommand>,
  options: PerformOptions,
): Promise<Acted> {
  if (!found || !place?.window) throw new ToolError("not_found", "The command is gone.", { hint: "Call it again." });
  const { signal, settleMs } = options;
  const { command, all } = found;
  const { window, owner } = all;
  const name = showPath(command);
  if (command.source === "toolbar") return { ...(await clickButton(surface, found, options)), command: name };
  const subject = { pid: owner.pid, windowId: window.id, node: undefined, command: { owner, id: command.id } };
  const observed = { window, subject, expect, signature: `command ${command.id}` };
  const chord = command.isEnabled ? usableShortcut(command, all.commands) : undefined;
  const isNative = command.isNative && command.isEnabled;
  const byMenu = (): Promise<Dispatch> => chooseInMenu(surface, found, options);
  // A window that comes to the front is redrawn, which is no effect of the command.
  if (!isNative && (await surface.ensureFocus(window, signal)) && settleMs > 0) await calm(surface, subject, signal);
  const acted = await observe(surface, observed, options, async () => {
    if (isNative) {
      const otherwise = (): Promise<Dispatch> => (command.elements.length > 0 ? byMenu() : refuse(command));
      return orElse(() => runNatively(surface, found, options), otherwise);
    }
    return chord ? pressShortcut(surface, chord, options) : byMenu();
  });
  return { ...acted, command: name };
}

async function runNatively(
  surface: Surface,
  { command, all }: FoundCommand,
  options: PerformOptions,
): Promise<Dispatch> {
  const { via } = await surface.need("commands").run(all.owner, command.id, { signal: options.signal });
  return { method: via.startsWith("org.gtk") ? "system" : "ax", via };
}

async function pressShortcut(surface: Surface, chord: Chord, options: PerformOptions): Promise<Dispatch> {
  await needDecided(surface, options, [undefined]);
  await surface.hands.press(chord, 0, options.signal);
  await surface.inputTaken(options.signal);
  return { method: "input", via: `shortcut ${chord.join("+")}` };
}

/** Only keys that no field takes for text or editing, and that no other command has. */
function usableShortcut({ id, shortcut }: AppCommand, all: readonly AppCommand[]): Chord | undefined {
  if (shortcut === undefined || all.some((other) => other.id !== id && other.shortcut === shortcut)) return undefined;
  const chord = parseChord({ key: shortcut });
  const isSafe = chord.some((key) => key === "ctrl" || key === "alt" || key === "meta" || /^f\d+$/.test(key));
  return isSafe ? chord : undefined;
}

/** Opens the menus on the way one after the other and clicks the entry, as a person does. */
async function chooseInMenu(
  surface: Surface,
  { command, all }: FoundCommand,
  options: PerformOptions,
): Promise<Dispatch> {
  const { signal } = options;
  const { window, owner } = all;
  const back = await surface.pointerPosition(signal);
  let isChosen = false;
  const clicked: UiNode[] = [];
  const focused = await focusedElement(surface, signal);
  try {
    let before: ReadonlySet<string> | undefined;
    for (const [step, name] of command.path.entries()) {
      const isLast = step === command.path.length - 1;
      const node = await waitForStep(surface, owner.pid, { name, id: command.elements[step], before }, signal);
      if (!node) throw missing(surface, command, all, name);
      clicked.push(node);
      needEnabled(command, node);
      if (isLast) await clickNode(surface, node, options);
      else before = await openMenu(surface, window, node, options);
    }
    isChosen = true;
    return { method: "input", via: "menu, with the pointer" };
  } finally {
    // What is in the bar or header stays where it is; what is below it shows that a menu is open.
    if (!isChosen) {
      await closeMenus(surface, window, clicked.slice(1), signal);
      if (focused) await focusNatively(surface, focused, signal);
    }
    // What the pointer would rest on now looks different, which is no effect of the command.
    await surface.need("pointer").move(back, { signal });
  }
}

function needEnabled(command: AppCommand, node: UiNode): void {
  if (!node.states.includes("enabled")) throw disabled(command);
}

function missing(surface: Surface, command: AppCommand, { version }: WindowCommands, name: string): ToolError {
  surface.openedMenus.forget(version);
  return new ToolError(
    "not_dispatchable",
    `${quote(name)} did not appear when its menu was opened; nothing was chosen.`,
    {
      hint: `The menu of ${quotePath(command)} may be different now: call list_commands with open: true.`,
    },
  );
}

const refuse = (command: AppCommand): Promise<never> =>
  Promise.reject(
    new ToolError("not_dispatchable", `The app refused ${quotePath(command)}.`, {
      hint: "Look at the app, and do what it needs first.",
    }),
  );

/** A button of a tool bar is clicked like any other. */
async function clickButton(surface: Surface, { command, all }: FoundCommand, options: PerformOptions): Promise<Acted> {
  const [id] = command.elements.slice(-1);
  const [node] = id === undefined ? [] : await surface.need("elements").read([id], { signal: options.signal });
  if (!node) throw missing(surface, command, all, showPath(command));
  needEnabled(command, node);
  const action = {
    do: "click",
    at: { form: "text", text: node.name },
    button: "left",
    clicks: 1,
    delayMs: 0,
    hold: [],
    delivery: "auto",
  } as const;
  const acted = await click(surface, { action, place: { node, window: all.window } }, options);
  return { ...acted, via: `tool bar button, ${acted.via}` };
}

const disabled = (command: AppCommand): ToolError =>
  new ToolError("not_dispatchable", `${quotePath(command)} is disabled.`, {
    hint: "Do what enables it first, such as selecting something.",
  });

const behindDialog = (command: AppCommand, title: string): ToolError =>
  new ToolError(
    "not_dispatchable",
    `${quotePath(command)} cannot be chosen while the dialog ${quote(title)} is open.`,
    {
      hint: "Answer or close the dialog first.",
    },
  );
