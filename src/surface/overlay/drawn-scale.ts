import type { Display } from "../../platform/backend.ts";
import type { Surface } from "../surface.ts";

/** How many units of the surface one unit of a display at scale 1 takes. */
export const drawnScale = ({ backend }: Pick<Surface, "backend">, { scale }: Display): number =>
  backend.screen?.units === "screen pixels" ? scale : 1;
