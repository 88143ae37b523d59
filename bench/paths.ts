import { fileURLToPath } from "node:url";

/** The checkout. Compiled files lie in .build/bench, two levels below it. */
export const root = fileURLToPath(new URL("../../", import.meta.url));
export const compiled = fileURLToPath(new URL("./", import.meta.url));
