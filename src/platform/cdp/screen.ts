import { ToolError } from "../../base/errors.ts";
import { intersect, type Rect } from "../../base/geometry.ts";
import type { Pixels } from "../../base/frame.ts";
import type { CaptureArea, Screen } from "../backend.ts";
import { onDocument, type AttachedPage } from "./attached-page.ts";
import { noWindow, pageWindowId, viewportId } from "./identity.ts";

export type DecodePicture = (bytes: Uint8Array) => Promise<Pixels>;

export async function viewport(page: AttachedPage, signal: AbortSignal | undefined): Promise<Rect> {
  return onDocument(
    page,
    async () => {
      const { innerWidth, innerHeight } = await (await page.mainDocument({ signal })).call("measure", [], { signal });
      return { x: 0, y: 0, width: innerWidth, height: innerHeight };
    },
    signal,
  );
}

export function screenOf(page: AttachedPage, decode: DecodePicture): Screen {
  const capture: Screen["capture"] = async (area: CaptureArea, { signal } = {}) => {
    page.needResponsive();
    const bounds = partOf(await viewport(page, signal), area);
    const data = await page.camera.take(
      {
        format: "png",
        optimizeForSpeed: true,
        ...(area.kind === "region" ? { clip: { ...(await inDocument(page, bounds, signal)), scale: 1 } } : {}),
      },
      { signal, timeoutMs: 10_000 },
    );
    return { pixels: await decode(Buffer.from(data, "base64")), bounds, [Symbol.dispose]() {} };
  };
  return {
    units: "page pixels",
    displays: async ({ signal } = {}) => [
      { id: viewportId, name: "viewport", bounds: await viewport(page, signal), isPrimary: true, scale: 1 },
    ],
    bounds: ({ signal } = {}) => viewport(page, signal),
    capture,
  };
}

/** The requested part of the viewport; the page's only display and only window are all of it. */
function partOf(view: Rect, area: CaptureArea): Rect {
  if (area.kind === "display" && area.displayId !== viewportId) {
    throw new ToolError("not_found", `A page has no display ${area.displayId}.`);
  }
  if (area.kind === "window" && area.windowId !== pageWindowId) throw noWindow(area.windowId);
  if (area.kind !== "region") return view;
  const shown = intersect(area.rect, view);
  if (shown) return shown;
  throw new ToolError("out_of_bounds", `The region is outside the page's viewport (${view.width}×${view.height}).`, {
    hint: "Scroll there first.",
  });
}

async function inDocument(page: AttachedPage, rect: Rect, signal: AbortSignal | undefined): Promise<Rect> {
  const [x, y] = await (await page.mainDocument({ signal })).call("scrolled", [], { signal });
  return { ...rect, x: rect.x + x, y: rect.y + y };
}
