import { ToolError } from "../../base/errors.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import type { Surface } from "../../surface/surface.ts";
import type { Demonstration, DemonstrationRequest } from "../../tools/session.ts";
import { writeFlow } from "../file/write-flow.ts";
import { SurfaceRecorder, type Recorded } from "./recorder.ts";
import { toFlow } from "./to-flow.ts";

/** Records what a person does on these surfaces, until it is stopped. */
export async function demonstrate(request: DemonstrationRequest): Promise<Demonstration> {
  const { surfaces, permits, signal, launch, name, isPrivate, onStep } = request;
  const recorded: Recorded[] = [];
  let onStop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    onStop = resolve;
  });
  const hasPages = surfaces.some(({ id }) => id.startsWith("page:"));
  const recorders = surfaces.map(
    (surface) =>
      new SurfaceRecorder(surface, {
        signal,
        permits,
        // A page tells itself what is done in it.
        skips: (window) => hasPages && surface.id === "desktop" && isBrowser(window),
        onStop,
        onStep: (step) => {
          recorded.push(step);
          onStep(recorded.length, `${step.verb} ${shown(step)}`);
        },
      }),
  );
  const addresses = await addressesOf(surfaces, signal);
  await beginAll(recorders);
  return {
    stopped,
    async end() {
      for (const recorder of recorders) await recorder[Symbol.asyncDispose]();
      const inOrder = recorded.toSorted((a, b) => a.at - b.at);
      const { flow, kept } = toFlow(inOrder, { launch, name, isPrivate, addresses });
      const leftOut = recorders.reduce((sum, recorder) => sum + recorder.leftOut, 0);
      return { steps: kept.length, text: kept.length === 0 ? "" : writeFlow(flow), leftOut };
    },
  };
}

const isBrowser = ({ className }: WindowInfo): boolean => /chrom|edge|brave|vivaldi|opera/i.test(className);

async function beginAll(recorders: readonly SurfaceRecorder[]): Promise<void> {
  try {
    for (const recorder of recorders) await recorder.begin();
  } catch (error) {
    await Promise.allSettled(recorders.map((recorder) => recorder[Symbol.asyncDispose]()));
    throw error;
  }
}

async function addressesOf(surfaces: readonly Surface[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { id, backend } of surfaces) {
    try {
      const [window] = id.startsWith("page:") ? ((await backend.windows?.list({ signal })) ?? []) : [];
      if (window?.address !== undefined) found.set(id, window.address);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
    }
  }
  return found;
}

const shown = ({ verb, value }: Recorded): string =>
  verb === "fill" || verb === "type" ? "text" : JSON.stringify(value);
