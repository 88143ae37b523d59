import { ToolError } from "../../../base/errors.ts";
import type { CallOptions } from "../../backend.ts";
import { Inbox } from "../x11/inbox.ts";
import type { Connection } from "../x11/connection.ts";
import { eventMask, type XEvent } from "../x11/events.ts";
import {
  convertSelection,
  createWindow,
  destroyWindow,
  getProperty,
  getSelectionOwner,
  toNumbers,
  type Property,
} from "../x11/requests.ts";

/** The longest pause between two responses of the app that owns the selection. */
const answerMs = 3000;
const longestBytes = 50_000_000;

interface Conversation {
  readonly c: Connection;
  readonly window: number;
  readonly selection: number;
  readonly property: number;
  readonly inbox: Inbox<Answer>;
  readonly signal: AbortSignal | undefined;
}

type Answer = Extract<XEvent, { readonly type: "SelectionNotify" | "PropertyNotify" }>;

/** The text of a selection; undefined when nobody owns it or the owner has no text (ICCCM §2.4 and §2.7.2). */
export async function readSelection(
  c: Connection,
  selection: number,
  { signal }: CallOptions = {},
): Promise<string | undefined> {
  if ((await getSelectionOwner(c, selection)) === 0) return undefined;
  const atoms = await c.atoms("_HANDSIGHT_SELECTION", "TARGETS", "UTF8_STRING", "STRING", "text/plain;charset=utf-8");
  // A separate window per read: an answer that is too late for one read must not reach the next.
  const values = { eventMask: eventMask.propertyChange };
  const window = createWindow(c, { x: -10, y: -10, width: 1, height: 1, isInputOnly: true, values });
  const isOurs = (event: XEvent): event is Answer =>
    (event.type === "SelectionNotify" && event.requestor === window) ||
    (event.type === "PropertyNotify" && event.window === window && !event.isDeleted);
  using inbox = new Inbox(c, isOurs);
  const conversation = { c, window, selection, property: atoms["_HANDSIGHT_SELECTION"], inbox, signal };
  try {
    const offered = await convert(conversation, atoms.TARGETS);
    const wanted = [atoms.UTF8_STRING, atoms["text/plain;charset=utf-8"], atoms.STRING];
    const names = offered?.format === 32 ? toNumbers(offered) : wanted;
    for (const target of wanted.filter((atom) => names.includes(atom))) {
      const content = await convert(conversation, target);
      if (content) return content.value.toString(content.type === atoms.STRING ? "latin1" : "utf8");
    }
    return undefined;
  } finally {
    destroyWindow(c, window);
  }
}

/** Asks the owner for one target; undefined when it refuses. */
async function convert(conversation: Conversation, target: number): Promise<Property | undefined> {
  const { c, window, selection, property } = conversation;
  convertSelection(c, { requestor: window, selection, target, property });
  const answer = await nextEvent(conversation, (event) => event.type === "SelectionNotify" && event.target === target);
  if (answer.type !== "SelectionNotify" || answer.property === 0) return undefined;
  const content = await takeProperty(conversation);
  return content && content.type === (await c.atom("INCR")) ? collectPieces(conversation) : content;
}

/** The owner writes the next piece each time we delete the previous one; an empty piece marks the end. */
async function collectPieces(conversation: Conversation): Promise<Property | undefined> {
  const pieces: Property[] = [];
  let length = 0;
  for (;;) {
    await nextEvent(conversation, (event) => event.type === "PropertyNotify" && event.atom === conversation.property);
    const piece = await takeProperty(conversation);
    // This event is for a piece that was already taken together with the previous one.
    if (!piece) continue;
    if (piece.value.length === 0) {
      const type = pieces[0]?.type ?? piece.type;
      return { type, format: 8, bytesAfter: 0, value: Buffer.concat(pieces.map(({ value }) => value)) };
    }
    pieces.push(piece);
    length += piece.value.length;
    if (length > longestBytes) throw tooLong();
  }
}

/** Reads and deletes; the deletion tells the owner to continue. */
async function takeProperty({ c, window, property }: Conversation): Promise<Property | undefined> {
  const content = await getProperty(c, window, property, { delete: true, maxBytes: longestBytes });
  if (content && content.bytesAfter > 0) throw tooLong();
  return content;
}

async function nextEvent({ inbox, signal }: Conversation, fits: (event: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const event = await inbox.next(answerMs, signal);
    if (!event) {
      throw new ToolError("timeout", `The app that owns the clipboard did not answer within ${answerMs} ms.`, {
        hint: "It is hung or busy. Try again, or copy the text again.",
      });
    }
    if (fits(event)) return event;
  }
}

function tooLong(): ToolError {
  return new ToolError("not_supported", `The clipboard holds more than ${longestBytes / 1_000_000} MB of text.`, {
    hint: "Save it to a file in the app it comes from.",
  });
}
