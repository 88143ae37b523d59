import { intersect, type Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { optional, rootPath, type App } from "./app.ts";
import { readExtents, readParent } from "./element.ts";
import { roleNumber } from "./names.ts";
import { uncut } from "./walk.ts";

/** No window is deeper; a tree that goes round in a circle ends here. */
export const deepest = 60;

/**
 * The visible part of an element inside the boxes around it: a list of a hundred rows is taller than its scroll area.
 */
export async function readClip(app: App, path: string, options: BusCallOptions): Promise<Rect | undefined> {
  const around: Rect[] = [];
  const asked = new Map<string, Promise<Box>>();
  const ask = (box: string): Promise<Box> => {
    const known = asked.get(box) ?? readBox(app, box, options);
    asked.set(box, known);
    return known;
  };
  // Ask for the boxes from the last read all at once: one round trip instead of one per box.
  const expected = [...expectedAncestors(app, path)].map(ask);
  const [first] = await Promise.all([readParent(app, path, options), ...expected]);
  let box = first;
  for (let depth = 0; depth < deepest && box !== undefined && box !== rootPath; depth++) {
    const { role, extents, parent }: Box = await ask(box);
    if (role === undefined || uncut.has(role) || app.popups.has(box)) break;
    // In GTK 3 the reported place of a viewport moves with its content; the pane around it stays.
    if (extents && role !== roleNumber.viewport) around.push(extents);
    box = parent;
  }
  return around.reduceRight<Rect | undefined>((clip, each) => (clip && intersect(each, clip)) ?? each, undefined);
}

interface Box {
  readonly role: number | undefined;
  readonly extents: Rect | undefined;
  readonly parent: string | undefined;
}

async function readBox(app: App, path: string, options: BusCallOptions): Promise<Box> {
  const [role, extents, parent] = await Promise.all([
    optional(app.call<[number]>(path, "Accessible.GetRole", "", [], options)),
    readExtents(app, path, options),
    readParent(app, path, options),
  ]);
  return { role: role?.[0], extents, parent };
}

function* expectedAncestors(app: App, path: string): Generator<string> {
  let box = app.parents.get(path);
  for (let depth = 0; depth < deepest && box !== undefined && box !== rootPath; depth++) {
    yield box;
    box = app.parents.get(box);
  }
}
