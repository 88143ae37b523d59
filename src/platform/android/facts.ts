import type { Rect, Size } from "../../base/geometry.ts";

/** What the texts of Android's own commands say. Pure, so that every version's wording can be tried without a device. */

/** `wm size`: an override, where one is set, is what input and pictures go by. */
export function readSize(text: string): Size | undefined {
  const [, width, height] =
    /Override size:\s*(\d+)x(\d+)/.exec(text) ?? /Physical size:\s*(\d+)x(\d+)/.exec(text) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

export function readDensity(text: string): number | undefined {
  const [, density] = /Override density:\s*(\d+)/.exec(text) ?? /Physical density:\s*(\d+)/.exec(text) ?? [];
  return density === undefined ? undefined : Number(density);
}

/** Quarter turns, from `dumpsys input` (SurfaceOrientation: 1, or orientation=Rotation90) or `dumpsys window displays`. */
export function readRotation(text: string): number | undefined {
  const [, quarter] =
    /SurfaceOrientation:\s*([0-3])/.exec(text) ?? /mCurrentRotation=(?:ROTATION_)?([0-3])\b/.exec(text) ?? [];
  if (quarter !== undefined) return Number(quarter);
  const [, degrees] = /(?:orientation=Rotation|mCurrentRotation=ROTATION_)(0|90|180|270)\b/.exec(text) ?? [];
  return degrees === undefined ? undefined : Number(degrees) / 90;
}

export const turned = ({ width, height }: Size, rotation: number): Size =>
  rotation % 2 === 1 ? { width: height, height: width } : { width, height };

export interface PhysicalDisplay {
  /** 64 bits: as a number it would be another one. */
  readonly id: string;
  readonly name: string;
}

/** `dumpsys SurfaceFlinger --display-id`. */
export function readDisplays(text: string): readonly PhysicalDisplay[] {
  return [...text.matchAll(/^Display (\d+) \(HWC display \d+\)(?:.*displayName="([^"]*)")?/gm)].map(
    ([, id = "", name = ""]) => ({ id, name: name || `display ${id}` }),
  );
}

/** The physical ids of displays that are on, from `dumpsys display`. */
export function readLitDisplays(text: string): readonly string[] {
  return [...text.matchAll(/uniqueId="local:(\d+)"[^\n]*?\bstate ON\b/g)].flatMap(([, id]) => id ?? []);
}

export interface ForegroundApp {
  readonly package: string;
  /** "com.example.app/.Main"; for the notification shade and the like, its name alone. */
  readonly activity: string;
  /** Above 0 in a work profile or for a second user. */
  readonly user: number;
}

const record = String.raw`\{[0-9a-f]+ u(\d+) ([^/\s}]+)/([^\s}]+)`;
const records = [
  new RegExp(`topResumedActivity=ActivityRecord${record}`),
  new RegExp(`ResumedActivity: ActivityRecord${record}`, "i"),
  new RegExp(`mFocusedActivity: ActivityRecord${record}`),
  new RegExp(`mCurrentFocus=Window${record}`),
  new RegExp(`mFocusedApp=.*ActivityRecord${record}`),
];

/** From `dumpsys activity activities` and `dumpsys window`: the first wording that this version of Android uses. */
export function readForeground(text: string): ForegroundApp | undefined {
  for (const pattern of records) {
    const [, user, name, activity] = pattern.exec(text) ?? [];
    if (name !== undefined) return { package: name, activity: `${name}/${activity}`, user: Number(user) };
  }
  const [, user, shade] = /mCurrentFocus=Window\{[0-9a-f]+ u(\d+) ([^/\s}]+)\}/.exec(text) ?? [];
  return shade === undefined ? undefined : { package: "", activity: shade, user: Number(user) };
}

export interface ScreenState {
  readonly isOn: boolean;
  readonly isLocked: boolean;
}

/** From `dumpsys power` and `dumpsys window`; what is not told is taken for the usual. */
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

/** The last line of `cmd package resolve-activity --brief`; undefined when there is nothing to start. */
export function readComponent(text: string): string | undefined {
  const last = text.trim().split("\n").at(-1)?.trim() ?? "";
  return /^[\w.]+\/[\w.$]+$/.test(last) && !last.startsWith("android/") ? last : undefined;
}

/** Whether the area a person looks at is inside: for points that come from elsewhere. */
export const whole = ({ width, height }: Size): Rect => ({ x: 0, y: 0, width, height });
