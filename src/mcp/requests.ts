/** What requests beyond listing need, and with it most of handsight: loaded together, when the first of them comes. */
export { listTools } from "../tools/listing.ts";
export { Calls } from "./calls.ts";
export { complete } from "./completions.ts";
export { listResources, readResource, resourceTemplates } from "./resources.ts";
