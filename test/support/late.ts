import type { Locator } from "../../src/api/locator.ts";
import { ToolError } from "../../src/base/errors.ts";

/** How a target comes late, and what an action on it must come to. */
export const lateWays = ["appears", "enabled", "moves", "replaced", "covered"] as const;
/** What never becomes a target, with the error that says why. */
export const neverWays = { never: "not_found", disabled: "not_dispatchable", twice: "ambiguous_target" } as const;
export type LateWay = (typeof lateWays)[number] | keyof typeof neverWays;

/** An app or page with a button "Target" that comes late. */
export interface LateApp {
  readonly target: Locator;
  readonly start: (way: LateWay, ms: number) => Promise<void>;
  /** How often the target was clicked since the start. */
  readonly clicks: () => Promise<number>;
}

/** What came of one case: undefined if it went right. */
export async function tryLate(app: LateApp, way: LateWay, ms: number, timeoutMs: number): Promise<string | undefined> {
  await app.start(way, ms);
  const wanted = way in neverWays ? neverWays[way as keyof typeof neverWays] : "clicked";
  const came = await app.target.click({ timeoutMs }).then(
    () => "clicked",
    (error: unknown) => (error instanceof ToolError ? error.code : String(error)),
  );
  const clicks = await app.clicks();
  const isRight = came === wanted && clicks === (wanted === "clicked" ? 1 : 0);
  return isRight ? undefined : `${way} after ${ms} ms: ${came}, clicked ${clicks} times`;
}
