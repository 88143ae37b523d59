import { expect, test } from "vitest";
import {
  readComponent,
  readCurrentSize,
  readDensity,
  readDisplays,
  readForeground,
  readLitDisplays,
  readViewports,
  splitDisplays,
  isPasswordFocused,
  readPackages,
  readRotation,
  readScreenState,
  readSize,
  readUsers,
  turned,
} from "./facts.ts";

test("an override of size and density wins, as it does for input [S2-136]", () => {
  expect(readSize("Physical size: 1080x2400\n")).toEqual({ width: 1080, height: 2400 });
  expect(readSize("Physical size: 1080x2400\nOverride size: 720x1600\n")).toEqual({ width: 720, height: 1600 });
  expect(readDensity("Physical density: 420\nOverride density: 320\n")).toBe(320);
  expect(readSize("Error")).toBeUndefined();
});

test.each([
  ["      SurfaceOrientation: 1", 1],
  ["    mRotation=ROTATION_270 mDeferredRotationPauseCount=0", 3],
  ["  mCurrentRotation=ROTATION_90", 1],
  ["  mRotation=2", 2],
  ["  orientation=Rotation90", 1],
  ["nothing", undefined],
])("rotation is read from whatever a version prints: %s", (text, turns) => {
  expect(readRotation(text)).toBe(turns);
});

test("a quarter turn swaps the sides, a half turn does not", () => {
  expect(turned({ width: 1, height: 2 }, 1)).toEqual({ width: 2, height: 1 });
  expect(turned({ width: 1, height: 2 }, 2)).toEqual({ width: 1, height: 2 });
  expect(readCurrentSize("    init=1080x2400 420dpi cur=2400x1080 app=2400x1080 rng=1080x1017")).toEqual({
    width: 2400,
    height: 1080,
  });
});

test.each([
  ["12 and later", "    topResumedActivity=ActivityRecord{4f2a91c u0 org.a/.Main t12}", "org.a", "org.a/.Main", 0],
  ["10", "  mResumedActivity: ActivityRecord{4f2a91c u0 org.a/org.a.sub.Main t12}", "org.a", "org.a/.sub.Main", 0],
  ["7", "  mFocusedActivity: ActivityRecord{4f2a91c u0 org.a/other.Main t1}", "org.a", "org.a/other.Main", 0],
  ["a work profile", "  topResumedActivity=ActivityRecord{4f2a91c u10 org.a/.Main t12}", "org.a", "org.a/.Main", 10],
  [
    "the window manager",
    "  mCurrentFocus=Window{7c3b5d1 u0 org.a/org.a.Main}\n  mFocusedApp=ActivityRecord{4f2a91c u0 org.a/.Main t12}",
    "org.a",
    "org.a/.Main",
    0,
  ],
  [
    "the lock screen over an app",
    "  mCurrentFocus=Window{1f00d2e u0 NotificationShade}\n  mFocusedApp=ActivityRecord{4f2a91c u0 org.a/.Main t12}",
    "org.a",
    "NotificationShade",
    0,
  ],
  ["a window of nobody", "  mCurrentFocus=Window{1f00d2e u0 StatusBar}", "", "StatusBar", 0],
  [
    "no focus while an app starts",
    "  mCurrentFocus=null\n  mFocusedApp=ActivityRecord{4f2a91c u0 org.a/.Main t12}",
    "org.a",
    "org.a/.Main",
    0,
  ],
])("the foreground is found in the words of %s [S2-137]", (_version, text, name, activity, user) => {
  expect(readForeground(text)).toEqual({ package: name, activity, user });
});

test("no foreground is an answer, too", () => {
  expect(readForeground("  mCurrentFocus=null\n  mFocusedApp=null")).toBeUndefined();
});

test("display ids are 64 bits and stay strings; the one that is on is known", () => {
  const displays = readDisplays(
    'Display 4619827677550801152 (HWC display 0): port=0 pnpId=GGL displayName="Inner"\nDisplay 4619827677550801153 (HWC display 3): port=1 pnpId=GGL displayName="Outer"\n',
  );
  expect(displays).toEqual([
    { id: "4619827677550801152", name: "Inner" },
    { id: "4619827677550801153", name: "Outer" },
  ]);
  const states =
    'DisplayDeviceInfo{"Inner": uniqueId="local:4619827677550801152", 1840 x 2208, state OFF}\nDisplayDeviceInfo{"Outer": uniqueId="local:4619827677550801153", 1080 x 2092, state ON}';
  expect(readLitDisplays(states)).toEqual(["4619827677550801153"]);
});

test("each display that is on is known with the panel it is on, its size and what is in front on it", () => {
  const text = [
    "  Display: mDisplayId=0 (organized)",
    "    init=1080x2400 420dpi cur=2400x1080 app=2400x1000 rng=1x1-2x2",
    "  mCurrentFocus=Window{1a2b3c4 u0 org.a/org.a.Main}",
    "  Display: mDisplayId=2",
    "    init=1920x1080 160dpi cur=1920x1080 app=1920x1080 rng=1x1-2x2",
    "  mCurrentFocus=Window{5a6b7c8 u10 org.b/org.b.Slides}",
    "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4619827677550801152', physicalPort=0, orientation=1, logicalFrame=Rect(0, 0 - 2400, 1080), physicalFrame=Rect(0, 0 - 2400, 1080)}, DisplayViewport{type=EXTERNAL, valid=true, isActive=true, displayId=2, uniqueId='local:4619827677550801153', orientation=0, logicalFrame=Rect(0, 0 - 1920, 1080)}, DisplayViewport{type=EXTERNAL, isActive=false, displayId=3, uniqueId='local:5', logicalFrame=Rect(0, 0 - 1, 1)}, DisplayViewport{type=VIRTUAL, displayId=4, uniqueId='virtual:x', logicalFrame=Rect(0, 0 - 1, 1)}]",
  ].join("\n");
  expect(readViewports(text)).toEqual([
    { id: 0, physical: "4619827677550801152", size: { width: 2400, height: 1080 }, rotation: 1 },
    { id: 2, physical: "4619827677550801153", size: { width: 1920, height: 1080 }, rotation: 0 },
  ]);
  const sections = splitDisplays(text);
  expect([...sections.keys()]).toEqual([0, 2]);
  expect(readForeground(sections.get(0) ?? "")).toEqual({ package: "org.a", activity: "org.a/.Main", user: 0 });
  expect(readForeground(sections.get(2) ?? "")).toEqual({ package: "org.b", activity: "org.b/.Slides", user: 10 });
});

test.each([
  ["a name", "inputType=0x1 imeOptions=0x5", false],
  ["nothing", "", false],
  ["a password", "    inputType=0x81 imeOptions=0x5 privateImeOptions=null", true],
  ["a password on a page", "inputType=0xe1", true],
  ["a password that is shown", "inputType=0x80091", true],
  ["a PIN", "inputType=0x12", true],
  ["an email address", "inputType=0x21", false],
])("whether a password is entered is known from the type of the field: %s", (_what, text, expected) => {
  expect(isPasswordFocused(text)).toBe(expected);
});

test("a dark or locked screen is distinguished from a usable one", () => {
  expect(readScreenState("  mWakefulness=Asleep\n  mDreamingLockscreen=false")).toEqual({
    isOn: false,
    isLocked: false,
  });
  expect(readScreenState("  mWakefulness=Awake\n    isKeyguardShowing=true")).toEqual({ isOn: true, isLocked: true });
  expect(readScreenState("")).toEqual({ isOn: true, isLocked: false });
});

test("packages are listed once each, from either command [S2-135]", () => {
  const query =
    "2 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000\n    org.b/.Main\n  Activity #1:\n    org.b/.Other\n    org.a/x.Y\n";
  expect(readPackages(query)).toEqual(["org.a", "org.b"]);
  expect(readPackages("package:org.b\npackage:org.a\n")).toEqual(["org.a", "org.b"]);
});

test("what to start is the last line, unless a person would be asked which app [S2-134]", () => {
  expect(readComponent("priority=0 isDefault=true\norg.a/.Main\n")).toBe("org.a/.Main");
  expect(readComponent("No activity found\n")).toBeUndefined();
  expect(readComponent("priority=0\nandroid/com.android.internal.app.ResolverActivity\n")).toBeUndefined();
});

test("the users of a device, work profiles among them, are read with their names [S2-135]", () => {
  const text =
    "Users:\n\tUserInfo{0:Owner:4c13} running\n\tUserInfo{10:Work: {a}:1030} running\n\tUserInfo{11:Guest:414}\n";
  expect(readUsers(text)).toEqual([
    { id: 0, name: "Owner" },
    { id: 10, name: "Work: {a}" },
    { id: 11, name: "Guest" },
  ]);
  expect(readUsers("Error: not allowed")).toEqual([]);
});
