/** What takes time in looking for a picture. Works on memory its caller lays out; keeps nothing of its own. */
export { brighten, halve, sum } from "./picture";
export { survey } from "./pattern";
export { scratchBytes, search } from "./search";
export { climb, judge } from "./refine";
export { exact } from "./exact";
