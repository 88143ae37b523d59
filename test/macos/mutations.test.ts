import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { openMacos } from "../../src/platform/macos/index.ts";
import { checkout } from "../support/checkout.ts";
import { openSimulator, type Report } from "../simulators/macos/simulator.ts";
import { exercise } from "./exercise.ts";

/** A mistake that somebody could make, as a change of one compiled file. */
interface Defect {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const defects: readonly Defect[] = [
  { what: "a missing release", file: "mac.js", from: "native.CFRelease(pointer);", to: ";" },
  {
    what: "a released borrowed value",
    file: "windows.js",
    from: 'textOf(native, get("kCGWindowName"))',
    to: '(native.CFRelease(get("kCGWindowOwnerName")), textOf(native, get("kCGWindowName")))',
  },
  { what: "a missing retain", file: "elements/registry.js", from: "native.CFRetain(element);", to: ";" },
  {
    what: "a double for a float",
    file: "bindings/functions.js",
    from: '"i32(ptr,f32,f32,ptr)"',
    to: '"i32(ptr,f64,f64,ptr)"',
  },
  {
    what: "swapped fields of a point",
    file: "bindings/structs.js",
    from: 'x: "f64", y: "f64"',
    to: 'y: "f64", x: "f64"',
  },
  {
    what: "swapped fields of a range",
    file: "bindings/structs.js",
    from: 'location: "i64", length: "i64"',
    to: 'length: "i64", location: "i64"',
  },
  {
    what: "lost padding",
    file: "screen.js",
    from: "row * from, row * from + stride",
    to: "row * stride, row * stride + stride",
  },
  {
    what: "a wrong flag",
    file: "bindings/constants.js",
    from: "kCGEventFlagMaskShift: 0x20000",
    to: "kCGEventFlagMaskShift: 0x10000",
  },
  { what: "a missing pool", file: "mac.js", from: "native.objc_autoreleasePoolPush()", to: "0n" },
  {
    what: "a missing deadline",
    file: "mac.js",
    from: "this.native.AXUIElementSetMessagingTimeout(this.everything, ms / 1000);",
    to: ";",
  },
  {
    what: "21 units in one key event",
    file: "keyboard.js",
    from: "const mostUnits = 20;",
    to: "const mostUnits = 21;",
  },
  {
    what: "half a character",
    file: "keyboard.js",
    from: 'of text.replaceAll("\\r\\n", "\\n")',
    to: 'of text.split("")',
  },
  {
    what: "an unknown selector",
    file: "bindings/native.js",
    from: "(text(name))",
    to: '(text(name.replace("sharedW", "defaultW")))',
  },
  { what: "a button left pressed", file: "host.js", from: "await this.#pointer[Symbol.asyncDispose]();", to: ";" },
  { what: "a wheel the wrong way", file: "pointer.js", from: "-Math.round(notches.y", to: "Math.round(notches.y" },
  {
    what: "an array that retains nothing",
    file: "cf.js",
    from: 'native.address("CoreFoundation", "kCFTypeArrayCallBacks")',
    to: "null",
  },
];

type Outcome = { readonly result: unknown; readonly report: Omit<Report, "trips"> };

let right: Outcome;

beforeAll(async () => {
  right = await outcomeOf((await build(undefined)).openMacos);
});

test("the code as it is leaves nothing behind and breaks no rule", () => {
  expect(right.report).toEqual({ live: 0, objects: [], held: false, violations: [] });
});

test("the same code does the same again", async () => {
  expect(await outcomeOf((await build(undefined)).openMacos)).toEqual(right);
});

test.each(defects)("$what is noticed by the simulator", { timeout: 60_000 }, async (defect) => {
  const { openMacos: open } = await build(defect);
  expect(await outcomeOf(open)).not.toEqual(right);
});

/** What the exercise did, and what the simulator says about it. */
async function outcomeOf(open: typeof openMacos): Promise<Outcome> {
  const simulator = await openSimulator({ open, displays: ["0,0,1280,900,2"], hasScreencapture: false });
  let result: unknown;
  try {
    result = await exercise(simulator);
  } catch (error) {
    result = `${(error as { code?: string }).code ?? ""} ${(error as Error).message.split("\n")[0]}`;
  }
  const { trips: _, ...report } = await simulator.close();
  return { result, report };
}

/** The compiled product with the defect in it. Everything but the backend is a link. */
async function build(defect: Defect | undefined): Promise<{ readonly openMacos: typeof openMacos }> {
  const dist = join(checkout, "dist");
  const copy = join(checkout, ".build", "mutants", defect?.what.replaceAll(" ", "-") ?? "none");
  await rm(copy, { recursive: true, force: true });
  await mkdir(join(copy, "platform"), { recursive: true });
  for (const name of await readdir(dist)) if (name !== "platform") await symlink(join(dist, name), join(copy, name));
  for (const name of await readdir(join(dist, "platform"))) {
    if (name !== "macos") await symlink(join(dist, "platform", name), join(copy, "platform", name));
  }
  const macos = join(copy, "platform", "macos");
  await cp(join(dist, "platform", "macos"), macos, { recursive: true });
  if (defect) {
    const before = await readFile(join(macos, defect.file), "utf8");
    expect(before, `${defect.file} has what is to be broken`).toContain(defect.from);
    await writeFile(join(macos, defect.file), before.replace(defect.from, defect.to));
  }
  return (await import(pathToFileURL(join(macos, "index.js")).href)) as { readonly openMacos: typeof openMacos };
}
