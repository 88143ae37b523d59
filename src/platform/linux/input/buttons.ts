import type { Connection } from "../x11/connection.ts";
import { RequestWriter } from "../x11/wire.ts";

const mappings = new WeakMap<Connection, Promise<readonly number[]>>();

/**
 * The button to press so that apps see `logical`. On a left-handed desktop the server swaps 1 and 3 for synthetic
 * presses, too.
 */
export async function getPhysicalButton(c: Connection, logical: number): Promise<number> {
  let mapping = mappings.get(c);
  if (!mapping) {
    mapping = readMapping(c);
    mappings.set(c, mapping);
    c.on((event) => {
      if (event.type === "MappingNotify" && event.request === "pointer") mappings.set(c, readMapping(c));
    });
  }
  const index = (await mapping).indexOf(logical);
  return index < 0 ? logical : index + 1;
}

async function readMapping(c: Connection): Promise<readonly number[]> {
  const reply = await c.request("GetPointerMapping", new RequestWriter(117));
  return [...reply.skip(24).take(reply.data)];
}
