import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";

// Helper processes of a browser or a server write to its folder until they notice that it has ended.
const patiently = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const;

export const removeFolder = (folder: string): Promise<void> => rm(folder, patiently);

export const removeFolderNow = (folder: string): void => rmSync(folder, patiently);
