import type { Session } from "./session.ts";
import { surfaceOf, type AnyTool } from "./tool.ts";

/** The surface that a call acts on or looks at: named by its own field, its serial, its page or an element. */
export async function whichSurface(session: Session, tool: AnyTool, input: unknown): Promise<string> {
  const surface = surfaceOf(input);
  const { serial } = input as { readonly serial?: string };
  if (tool.set === "android" && session.devices) return (await session.devices()).device(serial).id;
  if (!isOfPage(tool) || !session.browsers) return surface;
  const browsers = await session.browsers();
  const ref = refIn(input);
  const page =
    ref === undefined ? browsers.page(surface === "desktop" ? undefined : surface, {}) : browsers.pageOf(ref, {});
  return (await page).id;
}

/** The page element that a call names, directly or in the arguments of a script. */
export function refIn(input: unknown): string | undefined {
  const { uid, args } = input as { readonly uid?: unknown; readonly args?: unknown };
  if (typeof uid === "string") return uid;
  if (!Array.isArray(args)) return undefined;
  const named = args.find((each: { readonly uid?: unknown } | null) => typeof each?.uid === "string");
  return (named as { readonly uid: string } | undefined)?.uid;
}

/** Starting a browser or opening a page takes the desktop's keyboard focus; actions inside a page do not. */
export const isOfPage = ({ set, input }: AnyTool): boolean =>
  set === "browser" && ("uid" in input.shape || "surface" in input.shape);
