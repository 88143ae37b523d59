import { randomBytes } from "node:crypto";
import { fairShare, Layout } from "./keymap.ts";
import type { Keysym } from "./keysyms.ts";
import type { Connection } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { changeProperty, deleteProperty, getProperty, predefined, toNumbers } from "../x11/requests.ts";
import { helperWindow } from "../x11/watch.ts";
import { holdServer } from "../x11/hold.ts";
import { getMap, setKeys, type KeyboardMap } from "./xkb.ts";

/**
 * Which keycodes handsight processes have borrowed on this display, stored where all of them can see it: in a
 * property of the root window. A borrower is identified by a window of its connection, which the server removes when
 * the process ends for whatever reason. So a loan whose window is gone is known to be dead, even across containers,
 * and the next process returns its keycodes. Changes are made while the server is grabbed.
 */
export interface Loan {
  readonly owner: number;
  /** Also written on the owner window, because window ids are reused. */
  readonly token: number;
  /** What each borrowed keycode types; 0 for nothing yet. */
  readonly codes: ReadonlyMap<number, Keysym>;
}

const propertyName = "_HANDSIGHT_BORROWED";

export interface KeyboardReading {
  readonly map: KeyboardMap;
  readonly layout: Layout;
  /** Our own loan, without what the server has changed since. */
  readonly own: ReadonlyMap<number, Keysym>;
}

/** Reads the layout and the loans together. */
export async function readKeyboard(c: Connection): Promise<KeyboardReading> {
  const [map, loans, me] = await Promise.all([getMap(c), readLoans(c), borrower(c)]);
  return describe(map, loans, me);
}

/** Borrows a fair share of the spare keycodes, unless we already have some. */
export function reserveCodes(c: Connection): Promise<ReadonlyMap<number, Keysym>> {
  return change(c, (map, others, own) => {
    if (own.size > 0) return own;
    const { spare } = new Layout(map.rows, new Set(others.flatMap((loan) => [...loan.codes.keys()])));
    return new Map(spare.slice(0, fairShare(spare.length)).map((code) => [code, 0]));
  });
}

/** Makes borrowed keycodes type these keysyms. False when some of them are no longer ours to change. */
export async function assignCodes(c: Connection, assign: ReadonlyMap<number, Keysym>): Promise<boolean> {
  let isDone = false;
  await change(c, (_map, _others, own) => {
    isDone = [...assign.keys()].every((code) => own.has(code));
    return isDone ? new Map([...own, ...assign]) : own;
  });
  return isDone;
}

/** Returns all our keycodes. */
export async function returnCodes(c: Connection): Promise<void> {
  await change(c, () => new Map());
}

/** Returns what dead borrowers left behind. */
export async function repairLoans(c: Connection): Promise<void> {
  const loans = await readLoans(c);
  if (loans.length > 0 && (await findDead(c, loans)).size > 0) await change(c, (_map, _others, own) => own);
}

/** Lets `decide` replace our loan while nobody else can touch the keymap; also returns dead loans. */
async function change(
  c: Connection,
  decide: (map: KeyboardMap, others: readonly Loan[], own: ReadonlyMap<number, Keysym>) => ReadonlyMap<number, Keysym>,
): Promise<ReadonlyMap<number, Keysym>> {
  const [me, atom] = await Promise.all([borrower(c), c.atom(propertyName)]);
  const release = holdServer(c);
  try {
    const [map, loans] = await Promise.all([getMap(c), readLoans(c)]);
    const dead = await findDead(c, loans);
    const others = loans.filter((loan) => loan.owner !== me.owner && !dead.has(loan));
    const { own } = describe(map, loans, me);
    const next = decide(map, others, own);
    const keys = new Map<number, Keysym>();
    for (const loan of dead) for (const code of stillGiving(map, loan.codes)) keys.set(code, 0);
    for (const [code, keysym] of own) if (keysym !== 0 && !next.has(code)) keys.set(code, 0);
    for (const [code, keysym] of next) if (keysym !== (own.get(code) ?? 0)) keys.set(code, keysym);
    // Record it first: if we are killed in between, an extra record does no harm.
    writeLoans(c, atom, next.size === 0 ? others : [...others, { ...me, codes: next }]);
    await setKeys(c, map, keys);
    return next;
  } finally {
    release();
  }
}

function describe(map: KeyboardMap, loans: readonly Loan[], me: { readonly owner: number }): KeyboardReading {
  const recorded = loans.find((loan) => loan.owner === me.owner)?.codes ?? new Map<number, Keysym>();
  const given = new Map(map.rows.map((row) => [row.keycode, row.levels[0] ?? 0]));
  // After setxkbmap our codes are empty again, or belong to the new layout.
  const own = new Map(
    [...recorded].flatMap(([code, keysym]) => {
      const now = given.get(code) ?? 0;
      return now === keysym || now === 0 ? [[code, now] as const] : [];
    }),
  );
  const others = loans.filter((loan) => loan.owner !== me.owner);
  const lent = new Set([
    ...own.keys(),
    ...others.flatMap((loan) => [...stillGiving(map, loan.codes), ...unused(loan.codes)]),
  ]);
  return { map, layout: new Layout(map.rows, lent), own };
}

const stillGiving = (map: KeyboardMap, codes: ReadonlyMap<number, Keysym>): number[] =>
  map.rows
    .filter(({ keycode, levels }) => levels[0] !== undefined && levels[0] === codes.get(keycode))
    .map((row) => row.keycode);

const unused = (codes: ReadonlyMap<number, Keysym>): number[] =>
  [...codes].filter(([, keysym]) => keysym === 0).map(([code]) => code);

function borrower(c: Connection): Promise<{ readonly owner: number; readonly token: number }> {
  return c.memo("keycode borrower", async () => {
    const [owner, atom] = await Promise.all([helperWindow(c), c.atom(propertyName)]);
    const token = randomBytes(4).readUInt32LE();
    changeProperty(c, owner, atom, predefined.cardinal, { u32: [token] });
    return { owner, token };
  });
}

async function findDead(c: Connection, loans: readonly Loan[]): Promise<ReadonlySet<Loan>> {
  const atom = await c.atom(propertyName);
  const alive = await Promise.all(
    loans.map(async (loan) => {
      try {
        return toNumbers(await getProperty(c, loan.owner, atom))[0] === loan.token;
      } catch (error) {
        if (isGone(error)) return false;
        throw error;
      }
    }),
  );
  return new Set(loans.filter((_, index) => alive[index] === false));
}

async function readLoans(c: Connection): Promise<readonly Loan[]> {
  const numbers = toNumbers(await getProperty(c, c.root, await c.atom(propertyName)));
  const loans: Loan[] = [];
  for (let at = 0; at + 3 <= numbers.length;) {
    const [owner = 0, token = 0, count = 0] = numbers.slice(at, at + 3);
    const pairs = numbers.slice(at + 3, at + 3 + count * 2);
    const codes = new Map<number, Keysym>();
    for (let i = 0; i + 1 < pairs.length; i += 2) codes.set(pairs[i] as number, pairs[i + 1] as Keysym);
    loans.push({ owner, token, codes });
    at += 3 + count * 2;
  }
  return loans;
}

function writeLoans(c: Connection, atom: number, loans: readonly Loan[]): void {
  if (loans.length === 0) return deleteProperty(c, c.root, atom);
  const u32 = loans.flatMap(({ owner, token, codes }) => [owner, token, codes.size, ...[...codes].flat()]);
  changeProperty(c, c.root, atom, predefined.cardinal, { u32 });
}
