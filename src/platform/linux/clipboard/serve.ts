import type { Connection } from "../x11/connection.ts";
import { eventMask, type XEvent } from "../x11/events.ts";
import {
  changePropertyChecked,
  getProperty,
  getSelectionOwner,
  predefined,
  selectionNotify,
  sendEvent,
  setSelectionOwner,
  toNumbers,
  type PropertyValue,
} from "../x11/requests.ts";
import { Inbox } from "../x11/inbox.ts";
import { helperWindow, serverTime, watchWindow } from "../x11/watch.ts";

/** Longer texts are sent in pieces of this size, which fit into a request of any server. */
const pieceBytes = 200_000;
/** A requestor that takes no piece for this long has given up. */
const patienceMs = 10_000;

const atomNames = [
  "TARGETS",
  "TIMESTAMP",
  "MULTIPLE",
  "SAVE_TARGETS",
  "UTF8_STRING",
  "STRING",
  "text/plain;charset=utf-8",
  "ATOM_PAIR",
  "INCR",
  "NULL",
] as const;
type Atoms = Readonly<Record<(typeof atomNames)[number], number>>;
type Request = Extract<XEvent, { readonly type: "SelectionRequest" }>;

interface Answer {
  readonly type: number;
  readonly value: PropertyValue;
}

/** Offers one text as a selection, until another app takes the selection (ICCCM §2.1 to §2.6). */
export class SelectionOwner {
  readonly text: string;
  readonly #c: Connection;
  readonly #window: number;
  readonly #selection: number;
  readonly #time: number;
  readonly #atoms: Atoms;
  readonly #stop: () => void;
  #isOwner = true;
  #onLost: (() => void) | undefined;

  private constructor(
    c: Connection,
    text: string,
    facts: { window: number; selection: number; time: number; atoms: Atoms },
  ) {
    this.#c = c;
    this.text = text;
    this.#window = facts.window;
    this.#selection = facts.selection;
    this.#time = facts.time;
    this.#atoms = facts.atoms;
    this.#stop = c.on((event) => this.#hear(event));
  }

  /** Undefined when another app was faster. */
  static async own(c: Connection, selection: number, text: string): Promise<SelectionOwner | undefined> {
    const [window, time, atoms] = await Promise.all([helperWindow(c), serverTime(c), c.atoms(...atomNames)]);
    const owner = new SelectionOwner(c, text, { window, selection, time, atoms });
    setSelectionOwner(c, window, selection, time);
    if ((await getSelectionOwner(c, selection)) === window) return owner;
    owner.release();
    return undefined;
  }

  get isOwner(): boolean {
    return this.#isOwner && !this.#c.isClosed;
  }

  get connection(): Connection {
    return this.#c;
  }

  /** The targets another app would want to keep. */
  get savedTargets(): readonly number[] {
    return [this.#atoms.UTF8_STRING, this.#atoms.STRING, this.#atoms["text/plain;charset=utf-8"]];
  }

  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  /** Stops answering; the window keeps the selection. */
  release(): void {
    this.#isOwner = false;
    this.#stop();
  }

  #hear(event: XEvent): void {
    if (event.type === "SelectionClear" && event.owner === this.#window && event.selection === this.#selection) {
      // A late event about an app that owned the selection before we took it back.
      if (event.time < this.#time) return;
      this.release();
      this.#onLost?.();
    } else if (
      event.type === "SelectionRequest" &&
      event.owner === this.#window &&
      event.selection === this.#selection
    ) {
      // If the requestor disappears halfway, nobody else is affected.
      this.#answer(event).catch(() => {});
    }
  }

  async #answer(request: Request): Promise<void> {
    const { requestor, target, time, selection } = request;
    // Old clients let the owner choose the property.
    const property = request.property === 0 ? target : request.property;
    const isDone =
      target === this.#atoms.MULTIPLE
        ? await this.#answerMany(requestor, property)
        : await this.#deliver(requestor, target, property);
    const notice = selectionNotify({ time, requestor, selection, target, property: isDone ? property : 0 });
    await sendEvent(this.#c, notice, { to: requestor });
  }

  async #answerMany(requestor: number, property: number): Promise<boolean> {
    const wanted = [...toNumbers(await getProperty(this.#c, requestor, property))];
    for (let at = 0; at + 1 < wanted.length; at += 2) {
      const [target = 0, into = 0] = wanted.slice(at, at + 2);
      if (target === this.#atoms.MULTIPLE || !(await this.#deliver(requestor, target, into))) wanted[at + 1] = 0;
    }
    await changePropertyChecked(this.#c, requestor, property, this.#atoms.ATOM_PAIR, { u32: wanted });
    return true;
  }

  async #deliver(requestor: number, target: number, property: number): Promise<boolean> {
    const answer = this.#convert(target);
    if (!answer) return false;
    const { type, value } = answer;
    if ("u32" in value || value.length <= pieceBytes) {
      await changePropertyChecked(this.#c, requestor, property, type, value);
      return true;
    }
    const isDeletion = (event: XEvent): event is Extract<XEvent, { readonly type: "PropertyNotify" }> =>
      event.type === "PropertyNotify" && event.window === requestor && event.atom === property && event.isDeleted;
    const inbox = new Inbox(this.#c, isDeletion);
    await watchWindow(this.#c, requestor, eventMask.propertyChange);
    await changePropertyChecked(this.#c, requestor, property, this.#atoms.INCR, { u32: [value.length] });
    void this.#deliverPieces(inbox, value, { requestor, property, type });
    return true;
  }

  /** Continues after the request was answered: the requestor deletes the property when it wants the next piece. */
  async #deliverPieces(
    inbox: Inbox<XEvent>,
    bytes: Uint8Array,
    to: { readonly requestor: number; readonly property: number; readonly type: number },
  ): Promise<void> {
    try {
      for (let at = 0; at < bytes.length + pieceBytes; at += pieceBytes) {
        if (!(await inbox.next(patienceMs))) return;
        await changePropertyChecked(this.#c, to.requestor, to.property, to.type, bytes.subarray(at, at + pieceBytes));
      }
    } catch {
      // The requestor, or the display, is gone.
    } finally {
      inbox[Symbol.dispose]();
    }
  }

  #convert(target: number): Answer | undefined {
    const atoms = this.#atoms;
    switch (target) {
      case atoms.TARGETS: {
        const all = [atoms.TARGETS, atoms.TIMESTAMP, atoms.MULTIPLE, atoms.SAVE_TARGETS, ...this.savedTargets];
        return { type: predefined.atom, value: { u32: all } };
      }
      case atoms.TIMESTAMP:
        return { type: 19, value: { u32: [this.#time] } };
      case atoms.SAVE_TARGETS:
        return { type: atoms.NULL, value: { u32: [] } };
      case atoms.STRING:
        return { type: atoms.STRING, value: toLatin1(this.text) };
      case atoms.UTF8_STRING:
      case atoms["text/plain;charset=utf-8"]:
        return { type: target, value: Buffer.from(this.text, "utf8") };
      default:
        return undefined;
    }
  }
}

/** STRING is Latin-1 by definition; other characters become question marks. */
const toLatin1 = (text: string): Buffer => Buffer.from(text.replaceAll(/[\u0100-\u{10ffff}]/gu, "?"), "latin1");
