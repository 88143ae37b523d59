import type { Size } from "../../base/geometry.ts";
import type { DeviceUser, ForegroundApp, ScreenState } from "../devices.ts";

/**
 * Parses the output of Android's own commands. Pure, so that every version's wording can be tested without a device.
 */

/** `wm size`: if an override is set, input and pictures use it. */
export function readSize(text: string): Size | undefined {
  const [, width, height] =
    /Override size:\s*(\d+)x(\d+)/.exec(text) ?? /Physical size:\s*(\d+)x(\d+)/.exec(text) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

export function readDensity(text: string): number | undefined {
  const [, density] = /Override density:\s*(\d+)/.exec(text) ?? /Physical density:\s*(\d+)/.exec(text) ?? [];
  return density === undefined ? undefined : Number(density);
}

/** Quarter turns, from `dumpsys window` (mRotation=ROTATION_90, or 1) or `dumpsys input` (SurfaceOrientation: 1). */
export function readRotation(text: string): number | undefined {
  const [, number] =
    /SurfaceOrientation:\s*([0-3])\b/.exec(text) ??
    /\bm(?:Current)?Rotation=(?:ROTATION_)?(\d{1,3})\b/.exec(text) ??
    /\borientation=Rotation(\d{1,3})\b/.exec(text) ??
    [];
  const turns = Number(number);
  return number === undefined ? undefined : turns < 4 ? turns : (turns / 90) % 4;
}

export const turned = ({ width, height }: Size, rotation: number): Size =>
  rotation % 2 === 1 ? { width: height, height: width } : { width, height };

export interface PhysicalDisplay {
  /** 64 bits, so it does not fit into a number. */
  readonly id: string;
  readonly name: string;
}

/** `dumpsys SurfaceFlinger --display-id`. */
export function readDisplays(text: string): readonly PhysicalDisplay[] {
  return [...text.matchAll(/^Display (\d+) \(HWC display \d+\)(?:.*displayName="([^"]*)")?/gm)].map(
    ([, id = "", name = ""]) => ({ id, name: name || `display ${id}` }),
  );
}

export interface Viewport {
  readonly id: number;
  readonly physical: string;
  /** In its current orientation. */
  readonly size: Size;
  readonly rotation: number;
}

/**
 * The displays that show something, from `dumpsys display`: which panel each of Android's displays is on at the
 * moment.
 */
export function readViewports(text: string): readonly Viewport[] {
  const found = [...text.matchAll(/DisplayViewport\{([^}]*)\}/g)].flatMap(([, fields = ""]) => {
    const [, id] = /\bdisplayId=(\d+)/.exec(fields) ?? [];
    const [, physical] = /\buniqueId='local:(\d+)'/.exec(fields) ?? [];
    const [, left, top, right, bottom] = /logicalFrame=Rect\((\d+), (\d+) - (\d+), (\d+)\)/.exec(fields) ?? [];
    if (id === undefined || physical === undefined || left === undefined || /\bisActive=false/.test(fields)) return [];
    const size = { width: Number(right) - Number(left), height: Number(bottom) - Number(top) };
    const [, turns = "0"] = /\borientation=(\d)/.exec(fields) ?? [];
    return [{ id: Number(id), physical, size, rotation: Number(turns) }];
  });
  return found.filter(({ id }, index) => found.findIndex((each) => each.id === id) === index);
}

/** The section of each display in `dumpsys window displays`. */
export function splitDisplays(text: string): ReadonlyMap<number, string> {
  const parts = text.split(/^\s*Display: mDisplayId=(\d+)/m);
  const sections = new Map<number, string>();
  for (let at = 1; at < parts.length; at += 2) {
    const id = Number(parts[at]);
    sections.set(id, `${sections.get(id) ?? ""}${parts[at + 1] ?? ""}`);
  }
  return sections;
}

/** The physical ids of displays that are on, from `dumpsys display`, if it lists no viewports. */
export function readLitDisplays(text: string): readonly string[] {
  return [...text.matchAll(/uniqueId="local:(\d+)"[^\n]*?\bstate ON\b/g)].flatMap(([, id]) => id ?? []);
}

const record = String.raw`\{[0-9a-f]+ u(\d+) ([^/\s}]+)/([^\s}]+)`;
const resumed = [
  new RegExp(`topResumedActivity=ActivityRecord${record}`),
  new RegExp(`ResumedActivity: ActivityRecord${record}`, "i"),
  new RegExp(`mFocusedActivity: ActivityRecord${record}`),
  new RegExp(`mFocusedApp=.*ActivityRecord${record}`),
];

/**
 * The app in front, from `dumpsys window` (and `dumpsys activity activities`, whose wording has changed over the
 * years).
 */
export function readForeground(text: string): ForegroundApp | undefined {
  const app = resumed.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  const focus = /mCurrentFocus=Window\{[0-9a-f]+ u(\d+) ([^\s}]+)\}/.exec(text);
  const [name, activity] = (focus?.[2] ?? "").split("/");
  const user = Number(app?.[1] ?? focus?.[1] ?? 0);
  // Menus, the lock screen and notifications have their own window over the app.
  if (app) {
    const own = shortActivity(app[2] ?? "", app[3] ?? "");
    return { package: app[2] ?? "", activity: name === "" || activity !== undefined ? own : (name ?? own), user };
  }
  if (!focus || name === undefined) return undefined;
  return activity === undefined
    ? { package: "", activity: name, user }
    : { package: name, activity: shortActivity(name, activity), user };
}

const shortActivity = (name: string, activity: string): string =>
  `${name}/${activity.startsWith(`${name}.`) ? activity.slice(name.length) : activity}`;

/** The size of the display in its current orientation, including an override, from `dumpsys window`. */
export function readCurrentSize(text: string): Size | undefined {
  const [, width, height] = /\bcur=(\d+)x(\d+)/.exec(text) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

/** From `dumpsys power` and `dumpsys window`; for what is missing, the usual state is assumed. */
export function readScreenState(text: string): ScreenState {
  const [, wakefulness] = /mWakefulness=(\w+)/.exec(text) ?? [];
  const isLocked =
    /mDreamingLockscreen=true|isKeyguardShowing=true|mIsShowing=true|mShowingLockscreen=true|KeyguardShowing=true/.test(
      text,
    );
  return { isOn: wakefulness === undefined || wakefulness === "Awake", isLocked };
}

/** Components of `cmd package query-activities --brief`, or packages of `pm list packages`. */
export function readPackages(text: string): readonly string[] {
  const names = [...text.matchAll(/^\s*(?:package:)?([A-Za-z][\w.]*)(?:\/[\w.$]+)?\s*$/gm)].flatMap(
    ([, name]) => name ?? [],
  );
  return [...new Set(names)].toSorted();
}

/** The lines of `pm list users`: "UserInfo{10:Work profile:1030} running". */
export const readUsers = (text: string): readonly DeviceUser[] =>
  [...text.matchAll(/^\s*UserInfo\{(\d{1,5}):(.*):[0-9a-f]+\}/gm)].map(([, id, name = ""]) => ({
    id: Number(id),
    name,
  }));

/** The last line of `cmd package resolve-activity --brief`; undefined when there is nothing to start. */
export function readComponent(text: string): string | undefined {
  const last = text.trim().split("\n").at(-1)?.trim() ?? "";
  return /^[\w.]+\/[\w.$]+$/.test(last) && !last.startsWith("android/") ? last : undefined;
}

/** The components of `cmd package query-activities --brief`. */
export const readComponents = (text: string): readonly string[] =>
  [...text.matchAll(/^\s*([\w.]+\/[\w.$]+)\s*$/gm)].flatMap(([, component]) => component ?? []);

// android.text.InputType: the class is in the lowest four bits, its variation in the eight above.
const passwordTypes: ReadonlySet<number> = new Set([0x81, 0x91, 0xe1, 0x12]);

/** Whether a password is being entered, from `dumpsys input_method`. */
export function isPasswordFocused(text: string): boolean {
  return [...text.matchAll(/\binputType=0x([0-9a-f]{1,8})\b/gi)].some(([, type = ""]) =>
    passwordTypes.has(Number.parseInt(type, 16) & 0xfff),
  );
}
