import { writeFileSync } from "node:fs";
import type { Argument, Facts } from "./task.ts";

/** What to tell about a finished picture. */
export function tellPicture(bytes: Uint8Array, { saveTo }: Argument): () => Facts {
  return () => {
    if (saveTo !== undefined) writeFileSync(saveTo, bytes);
    return { bytes: bytes.byteLength };
  };
}
