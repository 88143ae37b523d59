import type { Connection } from "./connection.ts";
import { RequestWriter } from "./wire.ts";

const held = new WeakMap<Connection, number>();

/**
 * From now on the server serves nobody else, until the returned function is called. The server does not count grabs, so
 * an inner one would end the outer; they are counted here.
 */
export function holdServer(c: Connection): () => void {
  const count = held.get(c) ?? 0;
  held.set(c, count + 1);
  if (count === 0) c.send("GrabServer", new RequestWriter(36));
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (held.get(c) ?? 1) - 1;
    held.set(c, left);
    if (left === 0) c.send("UngrabServer", new RequestWriter(37));
  };
}
