import type { Connection } from "../x11/connection.ts";
import { createPixmap } from "../x11/requests.ts";
import { RequestWriter } from "../x11/wire.ts";

/**
 * Windows drawn off-screen are copied to the screen, and reported as damage, when the server is idle or when the
 * screen is read. The returned function forces that now, by reading one pixel. It sends its requests in the turn in
 * which it is called.
 */
export function redirectedWindowsShower(c: Connection): Promise<() => void> {
  return c.memo("redirected windows shower", async () => {
    const pixmap = createPixmap(c, { depth: c.setup.rootDepth, width: 1, height: 1 });
    const context = c.newId();
    const subwindowMode = 1 << 15;
    const graphicsExposures = 1 << 16;
    const includeInferiors = 1;
    await c.checked(
      "CreateGC",
      new RequestWriter(55)
        .u32(context)
        .u32(pixmap)
        .u32(subwindowMode | graphicsExposures)
        .u32(includeInferiors)
        .u32(0),
    );
    return () => {
      const writer = new RequestWriter(62).u32(c.root).u32(pixmap).u32(context).skip(8).u16(1).u16(1);
      c.send("CopyArea", writer);
    };
  });
}
