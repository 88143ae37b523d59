import type { Button } from "../../backend.ts";
import type { Connection } from "../x11/connection.ts";
import { RequestWriter } from "../x11/wire.ts";

/** The number of each button, as apps see it. */
export const buttonNumbers: Readonly<Record<Button, number>> = { left: 1, middle: 2, right: 3, back: 8, forward: 9 };

export const buttonNames: ReadonlyMap<number, Button> = new Map(
  Object.entries(buttonNumbers).map(([name, number]) => [number, name as Button]),
);

const mappings = new WeakMap<Connection, Promise<readonly number[]>>();

/**
 * The button to press so that apps see `logical`. On a left-handed desktop the server swaps 1 and 3 for synthetic
 * presses, too.
 */
export async function getPhysicalButton(c: Connection, logical: number): Promise<number> {
  const index = (await mappingOf(c)).indexOf(logical);
  return index < 0 ? logical : index + 1;
}

/** The button that apps see when this one of the device is pressed. */
export async function getLogicalButton(c: Connection, physical: number): Promise<number> {
  return (await mappingOf(c))[physical - 1] ?? physical;
}

function mappingOf(c: Connection): Promise<readonly number[]> {
  const known = mappings.get(c);
  if (known) return known;
  const mapping = readMapping(c);
  mappings.set(c, mapping);
  c.on((event) => {
    if (event.type === "MappingNotify" && event.request === "pointer") mappings.set(c, readMapping(c));
  });
  return mapping;
}

async function readMapping(c: Connection): Promise<readonly number[]> {
  const reply = await c.request("GetPointerMapping", new RequestWriter(117));
  return [...reply.skip(24).take(reply.data)];
}
