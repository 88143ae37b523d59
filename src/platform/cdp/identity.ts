import { ToolError } from "../../base/errors.ts";

// A page is an app with one window on one display; the numbers only need to be consistent.
export const pagePid = 1;
export const pageWindowId = 1;
export const viewportId = 0;

export const noWindow = (id: number): ToolError => new ToolError("window_gone", `The page has no window ${id}.`);
