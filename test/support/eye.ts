import type { ScreenPoint } from "../../src/base/geometry.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { getImage } from "../../src/platform/linux/x11/requests.ts";

export interface Eye extends Disposable {
  colourAt(point: ScreenPoint): Promise<number>;
  /** BGRX. */
  look(rect: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }): Promise<Buffer>;
}

/** Sees an X display as a person does, with everything that is on it: another program, not handsight. */
export async function openEye(env: NodeJS.ProcessEnv): Promise<Eye> {
  const c = await openConnection(env["DISPLAY"], { env });
  const look: Eye["look"] = async (rect) => (await getImage(c, c.root, rect)).data;
  return {
    look,
    colourAt: async ({ x, y }) => (await look({ x, y, width: 1, height: 1 })).readUIntLE(0, 3),
    [Symbol.dispose]: () => c.close(),
  };
}
