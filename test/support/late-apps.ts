import { expect as expectUi, type Device, type Handsight, type Page } from "../../src/index.ts";
import type { AndroidTarget } from "../simulators/android/lab.ts";
import {
  lateText,
  startLate,
  type LateKind as DeviceKind,
  type LateWay as DeviceWay,
} from "../simulators/android/screen/app-late.ts";
import type { Fixture } from "./fixture.ts";
import { lateCases, type LateAct, type LateApp, type LateCase } from "./late.ts";

const roles = { button: "button", box: "checkbox", field: "textbox", list: "combobox" } as const;

/** The GTK app of `test/fixtures/gtk3_late.py`. */
export async function lateDesktop(hs: Handsight, fixture: Fixture): Promise<LateApp> {
  await hs.desktop.window({ title: "Late" });
  const app = await hs.desktop.app(fixture.pid);
  let round = 0;
  const target: LateApp["target"] = (kind) => app.getByRole(roles[kind], { name: "Target" });
  return {
    name: "desktop",
    target,
    async start(way, kind, ms) {
      const wanted = ++round;
      fixture.tell(`${way} ${kind} ${ms}`);
      await fixture.waitFor((event) => event.event === "started" && event["round"] === wanted);
    },
    acts: async () =>
      fixture.events.flatMap((event) =>
        event.event === "acted" && event["round"] === round ? [String(event["what"])] : [],
      ),
    isFocused: async () => (await target("field").element()).states.includes("focused"),
  };
}

/** The page `test/fixtures/pages/late.html`, which must be open. */
export function latePage(page: Page, name = "page"): LateApp {
  const ask = async <T>(script: string): Promise<T> => (await page.evaluate(`() => ${script}`)) as T;
  return {
    name,
    target: (kind) => page.getByRole(roles[kind], { name: "Target" }),
    bin: page.getByRole("button", { name: "Bin" }),
    start: async (way, kind, ms) => void (await ask(`start(${JSON.stringify(way)}, "${kind}", ${ms})`)),
    acts: () => ask("acts()"),
    isHovered: () => ask("isHovered()"),
    isFocused: () => ask("isFocused()"),
  };
}

/** The app "Late" of the simulated device, which must be in front. */
export function lateDevice(device: Device, target: AndroidTarget): LateApp {
  return {
    name: "device",
    target: (kind) =>
      kind === "field" ? device.getByTestId("target") : device.getByRole(roles[kind], { name: "Target" }),
    async start(way, kind, ms) {
      startLate("never", "button", 0);
      target.phone.focus(undefined);
      await expectUi(device.getByTestId("target")).toHaveCount(0);
      target.forget();
      startLate(way as DeviceWay, kind as DeviceKind, ms);
    },
    acts: async () => [
      ...target.events().flatMap((event) => (event.kind === "toggle" ? [toggled(event)] : [])),
      ...(lateText() === "" ? [] : [`text ${lateText()}`]),
    ],
  };

  function toggled({ name, on }: { readonly name: string; readonly on: boolean }): string {
    return name === "Target" ? (on ? "clicked" : "clicked again") : name;
  }
}

const all: readonly LateAct[] = ["click", "fill", "type", "check", "press"];

export const desktopCases = (times: (index: number) => readonly number[]): readonly LateCase[] =>
  lateCases(
    {
      appears: [...all, "point and click", "double click", "focus"],
      shows: [...all, "point and click", "focus"],
      enabled: [...all, "point and click", "focus"],
      moves: [...all, "point and click"],
      replaced: [...all, "point and click", "focus"],
      covered: all,
    },
    {
      never: [
        ["click", "not_found"],
        ["fill", "not_found"],
      ],
      disabled: [
        ["click", "not_dispatchable"],
        ["point and click", "not_dispatchable"],
        ["fill", "not_dispatchable"],
        ["focus", "not_dispatchable"],
      ],
      twice: [
        ["click", "ambiguous_target"],
        ["type", "ambiguous_target"],
      ],
      restless: [["point and click", "not_dispatchable"]],
    },
    times,
  );

export const pageCases = (times: (index: number) => readonly number[]): readonly LateCase[] =>
  lateCases(
    {
      appears: [...all, "double click", "hover", "focus", "drag", "select"],
      shows: [...all, "hover", "focus", "drag", "select"],
      enabled: [...all, "focus", "drag", "select"],
      moves: [...all, "double click", "hover", "drag"],
      replaced: [...all, "focus", "drag", "select"],
      covered: [...all, "hover", "drag"],
    },
    {
      never: [
        ["click", "not_found"],
        ["drag", "not_found"],
        ["select", "not_found"],
      ],
      disabled: [
        ["click", "not_dispatchable"],
        ["fill", "not_dispatchable"],
        ["drag", "not_dispatchable"],
        ["focus", "not_dispatchable"],
      ],
      hidden: [
        ["click", "not_found"],
        ["check", "not_found"],
      ],
      twice: [
        ["click", "ambiguous_target"],
        ["hover", "ambiguous_target"],
        ["drag", "ambiguous_target"],
      ],
      under: [
        ["click", "not_dispatchable"],
        ["hover", "not_dispatchable"],
        ["drag", "not_dispatchable"],
      ],
      restless: [
        ["hover", "not_dispatchable"],
        ["drag", "not_dispatchable"],
      ],
    },
    times,
  );

export const deviceCases = (times: (index: number) => readonly number[]): readonly LateCase[] =>
  lateCases(
    {
      appears: ["click", "check", "fill", "type"],
      enabled: ["click", "check", "fill"],
      moves: ["click", "fill"],
      replaced: ["click", "fill"],
      covered: ["click", "fill"],
    },
    {
      never: [
        ["click", "not_found"],
        ["fill", "not_found"],
      ],
      disabled: [
        ["click", "not_dispatchable"],
        ["fill", "not_dispatchable"],
      ],
      twice: [["click", "ambiguous_target"]],
      under: [["click", "not_dispatchable"]],
    },
    times,
  );
