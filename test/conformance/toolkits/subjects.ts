import { openAccessibleDesktop, Controls, type AccessibleDesktop } from "../../support/accessible.ts";
import { startBrowser } from "../../support/page-browser.ts";
import type { FixtureEvent } from "../../support/fixture.ts";
import type { SubjectName } from "./expectations.ts";

/** One program with every control, under the same names in every toolkit. */
export interface Subject extends AsyncDisposable {
  readonly desktop: AccessibleDesktop;
  readonly controls: Controls;
  readonly names: Names;
  readonly events: readonly FixtureEvent[];
  /** Shows the lists, which some programs do not show at first. */
  showLists(): Promise<void>;
}

interface Names {
  readonly tab: string;
  readonly row: string;
  readonly expandable: string;
  readonly list: string;
  readonly hiddenRow: string;
}

const ofApps: Names = { tab: "Lists", row: "Fruit 3", expandable: "Documents", list: "Fruits", hiddenRow: "Fruit 90" };
const ofPages: Names = { tab: "Two", row: "Medium", expandable: "More", list: "Rows", hiddenRow: "Row 40" };

export async function openSubject(name: SubjectName): Promise<Subject> {
  const desktop = await openAccessibleDesktop();
  if (name === "chromium" || name === "firefox") {
    const browser = await startBrowser(name, { env: desktop.env });
    const controls = new Controls(name, browser, desktop.elements);
    await controls.find("Inside", "button");
    await controls.settled();
    return {
      desktop,
      controls,
      names: ofPages,
      events: browser.events,
      showLists: async () => {},
      [Symbol.asyncDispose]: () => end(browser, desktop),
    };
  }
  const controls = await desktop.start(name, ["--rows", "50"]);
  return {
    desktop,
    controls,
    names: ofApps,
    events: controls.fixture.events,
    async showLists() {
      await controls.perform(ofApps.tab, { name: "select" }, "tab");
      await controls.find(ofApps.row);
    },
    [Symbol.asyncDispose]: () => end(controls, desktop),
  };
}

async function end(...things: readonly AsyncDisposable[]): Promise<void> {
  for (const each of things) await each[Symbol.asyncDispose]();
}
