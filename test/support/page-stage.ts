import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startHandsight, type Handsight } from "./handsight.ts";
import { startBrowser, type Browser, type BrowserName } from "./page-browser.ts";

export interface Found {
  readonly uid: string;
  readonly name: string;
  readonly value?: string | number;
  readonly automation_id?: string;
  readonly click_point?: { readonly x: number; readonly y: number };
}

/** A browser with the page of all controls on its own desktop, and handsight beside it. */
export interface PageStage extends AsyncDisposable {
  readonly browser: Browser;
  readonly handsight: Handsight;
  readonly pid: number;
  /** The first matching element of the browser. */
  readonly find: (selector: string) => Promise<Found>;
}

export async function openPageStage(name: BrowserName): Promise<PageStage> {
  const ends: AsyncDisposable[] = [];
  const use = <T extends AsyncDisposable>(each: T): T => {
    ends.push(each);
    return each;
  };
  const end = async (): Promise<void> => {
    for (const each of ends.toReversed()) await each[Symbol.asyncDispose]();
  };
  try {
    const desktop = use(await openVirtualDesktop({ width: 1280, height: 1000, monitors: 1, scale: 1 }));
    const browser = use(await startBrowser(name, { env: desktop.env }));
    const handsight = use(await startHandsight(desktop.env));
    const { pid } = browser;
    await handsight.call("wait_for", { condition: "element", selector: "Button:Inside", pid, timeout_ms: 20_000 });
    const find = async (selector: string): Promise<Found> => {
      const { elements } = await handsight.call("find_elements", { selector, pid });
      const [first] = elements as Found[];
      if (!first) throw new Error(`no ${selector}`);
      return first;
    };
    return { browser, handsight, pid, find, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}
