import type { CallOptions, Traces } from "../../backend.ts";
import type { Connection } from "../x11/connection.ts";
import { selectSelectionOwnerChanges } from "../x11/extensions.ts";
import { helperWindow } from "../x11/watch.ts";
import { getSelectionOwner } from "../x11/requests.ts";

interface Counted {
  owner: number;
  /** By X client: the part of a window id that all windows of one program share. */
  readonly counts: Map<number, number>;
}

/** Counts who takes over the clipboard and the primary selection; nobody is asked for the content. */
class SelectionCounter {
  readonly #connection: Connection;
  readonly #bySelection: ReadonlyMap<number, Counted>;

  constructor(connection: Connection, bySelection: ReadonlyMap<number, Counted>) {
    this.#connection = connection;
    this.#bySelection = bySelection;
    connection.on((event) => {
      if (event.type !== "XfixesSelectionNotify") return;
      const counted = bySelection.get(event.selection);
      if (!counted) return;
      // Text that is no longer selected: the program gives the selection up.
      const client = this.clientOf(event.owner === 0 ? counted.owner : event.owner);
      counted.owner = event.owner;
      counted.counts.set(client, (counted.counts.get(client) ?? 0) + 1);
    });
  }

  clientOf(windowId: number): number {
    return (windowId & ~this.#connection.setup.idMask) >>> 0;
  }

  count(selection: number, windowId: number): number {
    return this.#bySelection.get(selection)?.counts.get(this.clientOf(windowId)) ?? 0;
  }
}

function counterOf(c: Connection): Promise<SelectionCounter> {
  return c.memo("selection counter", async () => {
    const atoms = Object.values(await c.atoms("CLIPBOARD", "PRIMARY"));
    const window = await helperWindow(c);
    const owners = await Promise.all(
      atoms.map(async (atom) => {
        await selectSelectionOwnerChanges(c, window, atom);
        return [atom, { owner: await getSelectionOwner(c, atom), counts: new Map<number, number>() }] as const;
      }),
    );
    return new SelectionCounter(c, new Map(owners));
  });
}

/** How often the program of a window has copied something or selected text, since this was first asked. */
export async function countCopies(c: Connection, windowId: number, { signal }: CallOptions = {}): Promise<Traces> {
  const [counter, { CLIPBOARD, PRIMARY }] = await Promise.all([counterOf(c), c.atoms("CLIPBOARD", "PRIMARY")]);
  // The reply comes after the events of everything that happened before.
  await c.sync({ signal });
  return { clipboard: counter.count(CLIPBOARD, windowId), primary: counter.count(PRIMARY, windowId) };
}
