import { AsyncLocalStorage } from "node:async_hooks";

/** A process that has a command run by this one. */
export interface CallerProcess {
  readonly folder: string;
  readonly pid: number;
}

const callers = new AsyncLocalStorage<CallerProcess>();

/** Runs a command of another process: its folder and its ancestors count, not this process's own. */
export const onBehalfOf = <T>(caller: CallerProcess, run: () => Promise<T>): Promise<T> => callers.run(caller, run);

/** What a relative path in a call is relative to. */
export const callerFolder = (): string => callers.getStore()?.folder ?? process.cwd();

/** The process whose ancestors started the call. */
export const callerPid = (): number => callers.getStore()?.pid ?? process.pid;
