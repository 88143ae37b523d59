import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { tooLargeFor } from "../../base/screen-size.ts";
import { desktopEnvironment } from "./environment.ts";
import { needPrograms } from "./programs.ts";
import { startSupervisor } from "./supervised.ts";

export interface VirtualDesktopOptions {
  /** Physical pixels of one monitor. */
  readonly width: number;
  readonly height: number;
  /** Side by side, all of the same size. */
  readonly monitors: number;
  /** How much larger than normal programs draw; 2 for a HiDPI screen. */
  readonly scale: number;
  /** The density of each monitor where they differ; programs draw at `scale` on all of them. */
  readonly monitorScales?: readonly number[] | undefined;
  readonly windowManager?: "openbox" | "none" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A private display with its own window manager and buses. Disposing of it ends every program inside. */
export interface VirtualDesktop extends AsyncDisposable {
  /** The value of _HANDSIGHT_DESKTOP in every process inside. */
  readonly id: string;
  readonly display: string;
  /** For programs that should run inside. */
  readonly env: NodeJS.ProcessEnv;
  /** The whole screen: all monitors together. */
  readonly size: { readonly width: number; readonly height: number };
  /** Resolves with the reason when the desktop ended unexpectedly. */
  readonly lost: Promise<string>;
}

/** Starts a desktop and resolves when programs can be started in it. */
export async function openVirtualDesktop(options: VirtualDesktopOptions): Promise<VirtualDesktop> {
  checkOptions(options);
  const { width, height, monitors, scale, monitorScales, windowManager = "openbox", signal } = options;
  throwIfCancelled(signal);
  const programs = needPrograms(process.env, windowManager);
  const supervisor = startSupervisor({ width, height, monitors, scale, monitorScales, programs });
  const ready = await supervisor.ready(signal);
  return {
    id: ready.id,
    display: ready.display,
    env: desktopEnvironment(process.env, { ...ready, scale }),
    size: { width: width * monitors, height },
    lost: supervisor.lost,
    [Symbol.asyncDispose]: supervisor.end,
  };
}

function checkOptions({ width, height, monitors, scale, monitorScales = [] }: VirtualDesktopOptions): void {
  const refuse = (what: string): never => {
    throw new ToolError("invalid_argument", `A virtual desktop cannot have ${what}.`, {
      hint: "For example: width 1920, height 1080, monitors 2, scale 1.",
    });
  };
  for (const [name, value] of Object.entries({ width, height })) {
    if (!Number.isInteger(value) || value < 64)
      refuse(`a ${name} of ${value}; it must be a whole number of at least 64`);
  }
  if (!Number.isInteger(monitors) || monitors < 1)
    refuse(`${monitors} monitors; it must be a whole number of at least 1`);
  for (const each of [scale, ...monitorScales]) {
    if (!(each >= 1 && each <= 4)) refuse(`a scale of ${each}; it must be from 1 to 4`);
  }
  const tooLarge = tooLargeFor({ width, height }, monitors);
  if (tooLarge !== undefined) refuse(`such monitors, ${tooLarge}`);
}
