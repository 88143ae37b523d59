import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { RuleAgainstFrame } from "../browser.ts";
import type { AttachedPage } from "./attached-page.ts";
import type { PageDocument } from "./document.ts";
import { frameAt } from "./frame-at.ts";
import type { Frame, FrameJudge } from "./frames.ts";
import { frameOwner, isUpright } from "./geometry.ts";
import { DocumentGone } from "./interrupt.ts";
import { FrameBlocked, isOfFrame } from "./refusals.ts";
import type { SendOptions } from "./wire.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

const nothing: ReadonlyMap<Frame, string> = new Map();

// A frame that does not tell its title within this time counts as blocked, and nobody waits for it again.
const patienceMs = 5_000;
const mostRounds = 3;

/**
 * The frames of a page that nobody may see or use, by rules that are given to it. All that reads, photographs or uses a
 * page asks here. Where no frame is blocked it asks the page nothing.
 */
export class BlockedFrames implements FrameJudge {
  readonly #page: AttachedPage;
  readonly #ruleAgainst: RuleAgainstFrame;
  /** Frames that are drawn scaled or turned around a blocked one: where that one is in them cannot be said. */
  #around = nothing;
  readonly #hidden = new WeakMap<PageDocument, string>();
  /** Frames without an address that a blocked frame may have filled; they stay so when that one goes. */
  readonly #lent = new WeakMap<Frame, { readonly generation: number; readonly rule: string }>();
  readonly #askedAt = new WeakMap<Frame, { readonly generation: number; readonly at: number }>();
  #hasHidden = false;
  #times = 0;

  constructor(page: AttachedPage, ruleAgainst: RuleAgainstFrame) {
    this.#page = page;
    this.#ruleAgainst = ruleAgainst;
  }

  /** How often a frame has become blocked: a picture taken meanwhile may show it. */
  get timesBlocked(): number {
    return this.#times;
  }

  judge(frame: Frame): void {
    const rule = this.#judged(frame);
    const isNew = rule !== undefined && frame.rule === undefined;
    frame.rule = rule;
    if (!isNew) return;
    this.#times++;
    for (const other of this.#page.frames.all()) if (other !== frame && !hasHost(other.url)) this.judge(other);
  }

  /** The page itself is judged where it is opened, unless its address does not say whose it is. */
  #judged(frame: Frame): string | undefined {
    const { url, title = "", parentId } = frame;
    const own = parentId === undefined ? undefined : this.#ruleAgainst({ url, title });
    if (own !== undefined || hasHost(url)) return own;
    const parent = parentId === undefined ? undefined : this.#page.frames.get(parentId);
    // It counts as its parent, unless another site has filled it.
    if (!hasHost(frame.origin) || (parent && originOf(parent) === frame.origin)) return undefined;
    const known = this.#lent.get(frame);
    if (known?.generation === frame.generation) return known.rule;
    const lender = this.#page.frames.all().find((each) => each.rule !== undefined && originOf(each) === frame.origin);
    const rule = lender?.rule ?? this.#ruleAgainst({ url: `${frame.origin}/`, title: "" });
    if (rule !== undefined) this.#lent.set(frame, { generation: frame.generation, rule });
    return rule;
  }

  /** The rule against the frame or one around it. */
  ruleOf(frame: Frame, around: ReadonlyMap<Frame, string> = this.#around): string | undefined {
    for (const each of this.#upwards(frame)) {
      const rule = each.rule ?? around.get(each);
      if (rule !== undefined) return rule;
    }
    return undefined;
  }

  /** A frame around a blocked one is still asked how it is drawn. */
  refusal(frame: Frame): FrameBlocked | undefined {
    const rule = this.ruleOf(frame, nothing);
    return rule === undefined ? undefined : new FrameBlocked(rule);
  }

  /** May be seen and used. A frame whose title is not known yet may not. */
  isOpen(frame: Frame, around: ReadonlyMap<Frame, string> = this.#around): boolean {
    return this.ruleOf(frame, around) === undefined && this.#upwards(frame).every(isKnown);
  }

  /** False where all frames may be used for certain. */
  get hasAny(): boolean {
    const all = this.#page.frames.all();
    return all.length > 1 && !all.every((frame) => this.isOpen(frame) && isSure(frame));
  }

  /** The frames that may be seen, once all of them are known. */
  async open(options: SendOptions): Promise<readonly Frame[]> {
    await this.look(options);
    return this.#page.frames.all().filter((frame) => this.isOpen(frame));
  }

  /** Blocked frames that are in no other one. */
  #outermost(around: ReadonlyMap<Frame, string> = this.#around): readonly Frame[] {
    const { frames } = this.#page;
    return frames.all().filter((frame) => {
      const parent = frame.parentId === undefined ? undefined : frames.get(frame.parentId);
      return parent !== undefined && !this.isOpen(frame, around) && this.isOpen(parent, around);
    });
  }

  /** Gets to know frames that have come or changed, and tells the documents around blocked ones to keep quiet about them. */
  async look(options: SendOptions): Promise<void> {
    const { frames } = this.#page;
    if (frames.all().length <= 1 && frames.adopting.size === 0) return;
    for (let round = 0; round < mostRounds; round++) {
      if (frames.adopting.size > 0) await frames.adopted();
      const isAsked = round === 0 ? isSure : isKnown;
      const unknown = frames.all().filter((frame) => !isAsked(frame) && this.ruleOf(frame) === undefined);
      if (unknown.length === 0) break;
      // It may have moved to another process, or be between two documents.
      if (round > 0) await sleep(20 * round, options.signal);
      await Promise.all(unknown.map((frame) => this.#learn(frame, options)));
    }
    if (!this.hasAny && !this.#hasHidden) return;
    await this.#findAround(options);
    await this.#hide(options);
  }

  async #learn(frame: Frame, options: SendOptions): Promise<void> {
    const { generation } = frame;
    const asked = this.#askedAt.get(frame);
    const at = asked?.generation === generation && frame.title === undefined ? asked.at : performance.now();
    if (at !== asked?.at) this.#askedAt.set(frame, { generation, at });
    const leftMs = at + patienceMs - performance.now();
    if (leftMs <= 0) return;
    const asking = (async () => {
      const document = await frame.document(options);
      if (frame.isTold) return;
      const { title } = await document.call("place", [], options);
      frame.noteTitle(title, { generation, isTold: false });
    })().catch((error: unknown) => {
      if (!isOfFrame(error)) throw error;
    });
    const waiting = new AbortController();
    try {
      await Promise.race([asking, sleep(leftMs, waiting.signal).catch(() => undefined)]);
    } finally {
      waiting.abort();
    }
  }

  async #findAround(options: SendOptions): Promise<void> {
    const found = new Map<Frame, string>();
    for (const blocked of this.#outermost(nothing)) {
      for (const frame of this.#upwards(blocked).slice(1, -1).toReversed()) {
        if (found.has(frame)) break;
        if (await isUpright(this.#page, frame, options).catch(asFalse)) continue;
        found.set(frame, this.ruleOf(blocked, nothing) ?? unknownRule);
        break;
      }
    }
    if ([...found.keys()].some((frame) => !this.#around.has(frame))) this.#times++;
    this.#around = found;
  }

  async #hide(options: SendOptions): Promise<void> {
    const ids = new Map<PageDocument, number[]>();
    for (const frame of this.#outermost()) {
      try {
        const { document, id } = await frameOwner(this.#page, frame, options);
        ids.set(document, [...(ids.get(document) ?? []), id]);
      } catch (error) {
        // It is being taken out of the page.
        if (!isOfFrame(error)) throw error;
      }
    }
    for (const document of await this.#documents(options)) {
      const own = ids.get(document) ?? [];
      if ((this.#hidden.get(document) ?? "") === own.join()) continue;
      await document.call("hideFrames", [own], options).catch((error: unknown) => {
        if (!isOfFrame(error)) throw error;
      });
      this.#hidden.set(document, own.join());
      this.#hasHidden = true;
    }
  }

  async #documents(options: SendOptions): Promise<readonly PageDocument[]> {
    const { frames } = this.#page;
    const parents = new Set(frames.all().map(({ parentId }) => parentId));
    const outer = frames.all().filter((frame) => parents.has(frame.id) && this.isOpen(frame));
    const found = await Promise.all(
      outer.map((frame) =>
        frame.document(options).catch((error: unknown) => {
          if (!isOfFrame(error)) throw error;
          return undefined;
        }),
      ),
    );
    return found.filter((document) => document !== undefined);
  }

  /** Throws `denied` when input at this point of the page would reach a blocked frame. */
  async needOpenAt(point: Point, options: SendOptions): Promise<void> {
    if (!this.hasAny) return;
    await this.look(options);
    if (!this.hasAny) return;
    for (const x of new Set([Math.floor(point.x), Math.ceil(point.x)])) {
      for (const y of new Set([Math.floor(point.y), Math.ceil(point.y)])) {
        const frame = await frameAt(this.#page, { x, y }, options).catch((error: unknown) => {
          if (!isOfFrame(error)) throw error;
          return undefined;
        });
        if (!frame) throw new FrameBlocked(unknownRule);
        this.need(frame);
      }
    }
  }

  /** Throws `denied` when keys would go to a blocked frame. */
  async needOpenFocus(options: SendOptions): Promise<void> {
    if (!this.hasAny) return;
    await this.look(options);
    for (const frame of this.#outermost()) {
      let owner;
      try {
        owner = await frameOwner(this.#page, frame, options);
        if (!(await owner.document.call("isActive", [owner.id], options))) continue;
      } catch (error) {
        if (error instanceof DocumentGone && this.#page.frames.get(frame.id) !== frame) continue;
        if (!isOfFrame(error)) throw error;
      }
      throw new FrameBlocked(this.ruleOf(frame) ?? unknownRule);
    }
  }

  /** Throws `denied` when a script that runs in the frame could reach into a blocked one. */
  async needApart(frame: Frame, options: SendOptions): Promise<void> {
    if (!this.hasAny) return;
    await this.look(options);
    for (const other of this.#page.frames.all()) {
      if (this.isOpen(other) || !isSameSite(frame, other)) continue;
      const rule = this.ruleOf(other) ?? unknownRule;
      throw new ToolError("denied", `The page has a frame of its own site that is blocked by ${rule}.`, {
        hint: "A script could read it. Use the tools that name elements.",
      });
    }
  }

  need(frame: Frame): void {
    if (!this.isOpen(frame)) throw new FrameBlocked(this.ruleOf(frame) ?? unknownRule);
  }

  /** From the frame up to the page. */
  #upwards(frame: Frame): readonly Frame[] {
    const chain = [frame];
    for (let at = frame.parentId; at !== undefined && chain.length < 200;) {
      const next = this.#page.frames.get(at);
      if (!next || chain.includes(next)) break;
      chain.push(next);
      at = next.parentId;
    }
    return chain;
  }
}

const unknownRule = "built in: it does not say what it is";
const asFalse = (error: unknown): boolean => {
  if (!isOfFrame(error)) throw error;
  return false;
};

const isSure = (frame: Frame): boolean => frame.parentId === undefined || frame.isTold;
const isKnown = (frame: Frame): boolean => frame.parentId === undefined || frame.title !== undefined;

const hasHost = (url: string): boolean => /^(https?|file|ftp|wss?):/i.test(url);

const originOf = ({ origin, url }: Frame): string =>
  origin !== "" ? origin : URL.canParse(url) ? new URL(url).origin : "";

/** Pages may agree to trust all of their site. What does not say where it comes from may be anyone's. */
function isSameSite(a: Frame, b: Frame): boolean {
  const [one, other] = [siteOf(a), siteOf(b)];
  if (one === undefined || other === undefined) return a.session === b.session;
  return one === other;
}

function siteOf(frame: Frame): string | undefined {
  const origin = originOf(frame);
  if (!hasHost(origin)) return undefined;
  const { hostname } = new URL(origin);
  return /^[\d.]+$|:/.test(hostname) ? hostname : hostname.split(".").slice(-2).join(".");
}
