import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ToolError } from "../../base/errors.ts";
import { foldText } from "../../base/match-text.ts";
import type { UiNode } from "../../base/node.ts";
import { needFile } from "../../policy/files.ts";
import type { WindowQuery } from "../../surface/choose-window.ts";
import { describeNode, elementsNamed, liveElement, namesNear } from "../../surface/find-element.ts";
import { frontmost } from "../../surface/frontmost.ts";
import { findRunning } from "../../surface/running-apps.ts";
import type { Surface } from "../../surface/surface.ts";
import type { NamedElement } from "../../surface/target.ts";
import { toElementRecord } from "../elements/elements.ts";
import type { Expected, ExpectedState } from "./expectation.ts";
import { lookForText, lookForWindow, nodesNow, type Met } from "./looks.ts";
import type { Named } from "./target.ts";
import type { Asking, Look } from "./wait-until.ts";

export interface Looking {
  readonly surface: Surface;
  /** The app to look in where the expectation names no window; the active one when this is empty. */
  readonly query: WindowQuery;
  /** Folders below which files may be read. */
  readonly readable: readonly string[];
}

/** These change without an event of the surface. */
export const isPolled = ({ is }: Expected): boolean => is === "file" || is === "process";

/** How to see whether something is as expected. */
export function lookFor(expected: Expected, { surface, query, readable }: Looking, asking: Asking): Look<Met> {
  const { signal, sees } = asking;
  switch (expected.is) {
    case "state":
      return lookForState(expected.state, needNamed(expected.of), { surface, query }, asking);
    case "text":
      return expected.of === undefined
        ? lookForText(surface, expected.text, query, false, asking)
        : lookForOne(needNamed(expected.of), { surface, query }, asking, (node) => {
            const own = [node.name, String(node.value ?? ""), node.description ?? ""];
            if (own.some((each) => foldText(each).includes(foldText(expected.text)))) return true;
            sees(`${describeNode(node)} has ${JSON.stringify(own.filter((each) => each !== "").join(", "))}`);
            return false;
          });
    case "value":
      return lookForOne(needNamed(expected.of), { surface, query }, asking, (node) => {
        if (String(node.value ?? "") === expected.value) return true;
        sees(`${describeNode(node)} has ${node.value === undefined ? "no value" : JSON.stringify(node.value)}`);
        return false;
      });
    case "count":
      return async () => {
        const found = await elementsNow(expected.of, { surface, query }, asking);
        if (!found) return undefined;
        const shown = found.matches.filter(isShown).length;
        if (shown === expected.count) return { window: null };
        sees(`there are ${shown}`);
        return undefined;
      };
    case "window":
      return lookForWindow(surface, { title: expected.text }, "open", asking);
    case "title":
    case "url":
      return async () => {
        const active = (await surface.need("windows").list({ signal })).find(({ isForeground }) => isForeground);
        const told = active && !active.blocked ? (expected.is === "url" ? active.address : active.title) : undefined;
        if (told !== undefined && foldText(told).includes(foldText(expected.text))) return { window: null };
        sees(told === undefined ? `there is no ${expected.is}` : `it is ${JSON.stringify(told.slice(0, 300))}`);
        return undefined;
      };
    case "process":
      return async () => {
        const [app] = await findRunning(surface, { name: expected.text }, signal);
        return app ? { window: null } : undefined;
      };
    case "file":
      return lookForFile(expected, readable, asking);
    case "clipboard":
      throw new ToolError("invalid_argument", "Only run_steps can expect something of the clipboard.", {
        hint: "Call get_clipboard.",
      });
    case "changed":
      throw new ToolError("invalid_argument", "changed is about an action: expect it of the tool that acts.", {
        hint: 'To wait for the next change, use condition "change".',
      });
  }
}

function needNamed(of: Named | "own"): Named {
  if (of !== "own") return of;
  throw new ToolError("invalid_argument", "No element was acted on, so say which one is meant.", {
    hint: "Give a target instead of true, or of.",
  });
}

type Where = Pick<Looking, "surface" | "query">;

const scopeOf = ({ window }: Named, query: WindowQuery): WindowQuery =>
  window === undefined ? query : { title: window };

function lookForState(state: ExpectedState, of: Named, where: Where, asking: Asking): Look<Met> {
  const { surface, query } = where;
  const isGone = state === "hidden" || state === "gone";
  if (of.form === "window") {
    if (!isGone && state !== "visible" && state !== "focused") throw noState(state);
    const wanted = isGone ? "closed" : state === "focused" ? "active" : "open";
    return lookForWindow(surface, { title: of.window }, wanted, asking);
  }
  const isText =
    of.form === "element" && of.element.form === "text" && !of.element.isField && of.element.within === undefined;
  if (isText && (isGone || state === "visible")) {
    const { text } = of.element as { readonly text: string };
    return lookForText(surface, text, scopeOf(of, query), isGone, asking);
  }
  if (isGone) {
    return async () => {
      const found = await elementsNow(of, where, asking);
      if (!found) return undefined;
      const [first] = found.matches.filter(isShown);
      if (!first) return { window: null };
      asking.sees(`there is ${describeNode(first)}`);
      return undefined;
    };
  }
  return lookForOne(of, where, asking, (node) => {
    if (state === "visible") return isShown(node);
    const [name, wanted] = stateOf[state];
    const isMixed = name === "checked" && node.states.includes("mixed");
    if (node.states.includes(name) === wanted && !isMixed) return true;
    asking.sees(`${describeNode(node)} is ${isMixed ? "mixed" : `${wanted ? "not " : ""}${name}`}`);
    return false;
  });
}

const stateOf = {
  enabled: ["enabled", true],
  disabled: ["enabled", false],
  checked: ["checked", true],
  unchecked: ["checked", false],
  focused: ["focused", true],
  selected: ["selected", true],
} as const;

const noState = (state: ExpectedState): ToolError =>
  new ToolError("invalid_argument", `A window is open, active or gone, never ${state}.`);

/** Part of a page below the fold is not showing, but it is no less there. */
const isShown = ({ states, bounds }: UiNode): boolean =>
  states.includes("showing") || (bounds !== undefined && bounds.width > 0 && bounds.height > 0);

/** Some element of the name fits. */
function lookForOne(of: Named, where: Where, asking: Asking, fits: (node: UiNode) => boolean): Look<Met> {
  where.surface.need("elements");
  return async () => {
    const found = await elementsNow(of, where, asking);
    const fitting = found?.matches.filter(fits) ?? [];
    // What is in view is meant rather than what is scrolled out of it.
    const inView = fitting.filter(({ states }) => states.includes("showing"));
    const [met, ...others] = new Set([...inView, ...fitting]);
    if (met) {
      const record = { window: null, element: toElementRecord(where.surface, met) };
      const refOf = (node: UiNode) => `${where.surface.snapshots.refOf(node)} ${describeNode(node)}`;
      return others.length === 0 ? record : { ...record, candidates: [met, ...others].slice(0, 10).map(refOf) };
    }
    if (found?.matches.length === 0 && of.form === "element")
      asking.sees("no element fits", namesNear(found.nodes, of.element));
    return undefined;
  };
}

/** An element that is there, whether it shows or not. */
export function lookForElement(element: NamedElement, isGone: boolean, where: Where, asking: Asking): Look<Met> {
  const of: Named = { form: "element", element };
  where.surface.need("elements");
  if (!isGone) return lookForOne(of, where, asking, () => true);
  return async () => {
    const found = await elementsNow(of, where, asking);
    return found?.matches.length === 0 ? { window: null } : undefined;
  };
}

interface Found {
  readonly nodes: readonly UiNode[];
  readonly matches: readonly UiNode[];
}

const lost: ReadonlySet<string> = new Set(["uid_not_found", "window_gone", "process_not_running"]);

async function elementsNow(of: Named, { surface, query }: Where, asking: Asking): Promise<Found | undefined> {
  if (of.form !== "element") throw new ToolError("invalid_argument", "An element is needed.");
  const { element } = of;
  if (element.form === "element") {
    // A ref that was never given is a mistake, not an element that is gone.
    surface.snapshots.find(element.ref);
    try {
      return { nodes: [], matches: [await liveElement(surface, element.ref, asking.signal)] };
    } catch (error) {
      if (!(error instanceof ToolError) || !lost.has(error.code)) throw error;
      asking.sees(`${element.ref} is gone`);
      return { nodes: [], matches: [] };
    }
  }
  const now = await nodesNow(surface, { window: scopeOf(of, query), ref: element.within }, asking);
  return now && { nodes: now.nodes, matches: frontmost(elementsNamed(now.nodes, element), now.nodes, now.window?.id) };
}

// A text file that somebody waits for is not larger.
const mostBytes = 5_000_000;

function lookForFile(
  { path, contains }: Extract<Expected, { readonly is: "file" }>,
  readable: readonly string[],
  { sees }: Asking,
): Look<Met> {
  return async () => {
    // Checked at every look: a link may lead elsewhere by now.
    const file = await needFile(path, "read", readable);
    try {
      const found = await readStart(file, contains === undefined ? 0 : mostBytes);
      if (found === undefined) sees("it cannot be read as a file");
      else if (contains === undefined || found.start.includes(contains)) return { window: null };
      else sees(`the file has ${found.size} bytes without it`);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      sees(code === "ENOENT" ? "there is no such file" : "it cannot be read as a file");
    }
    return undefined;
  };
}

/** How large a file is, and its first bytes; undefined for anything else that has a path. */
async function readStart(
  file: string,
  most: number,
): Promise<{ readonly size: number; readonly start: Buffer } | undefined> {
  // A pipe would let nobody open it until somebody writes.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) return undefined;
    const start = Buffer.alloc(Math.min(found.size, most));
    let length = 0;
    for (let read = -1; read !== 0 && length < start.length; length += read) {
      read = (await handle.read(start, length, start.length - length, length)).bytesRead;
    }
    return { size: found.size, start: start.subarray(0, length) };
  } finally {
    await handle.close();
  }
}
