import { ToolError } from "../base/errors.ts";
import type { Surface } from "../surface/surface.ts";
import { lookAtChanges } from "./expect/wait-until.ts";

/** What one look came to. */
export type Glance =
  | { readonly data: Readonly<Record<string, unknown>>; readonly error?: undefined }
  | { readonly error: ToolError; readonly data?: undefined };

/** How long a call may wait: a tool that acts for a target that is ready, a tool that looks for what it should see. */
export interface Patience {
  readonly ms: number;
  /** For a tool that looks: whether this will do. */
  readonly until?: ((glance: Glance) => boolean) | undefined;
}

export interface Waiting {
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly surface: () => Promise<Surface>;
  /** Whether another attempt may succeed after this error, and cannot do anything twice. */
  readonly mayPass: (error: ToolError) => boolean;
}

type Attempted<T> = { readonly value: T } | { readonly error: ToolError };

// While a list is drawn anew its old and new rows may both be there.
const ambiguousMs = 700;

/** Tries until the result will do, each time that something has happened on the surface. */
export async function patiently<T>(
  { patience: { ms }, signal, surface, mayPass }: Waiting,
  attempt: () => Promise<T>,
  isEnough: (attempted: Attempted<T>) => boolean,
): Promise<T> {
  const started = performance.now();
  let last: Attempted<T> | undefined;
  const look = async (): Promise<Attempted<T> | undefined> => {
    last = await attempt().then(
      (value) => ({ value }),
      (error: unknown) => {
        if (!(error instanceof ToolError) || signal.aborted) throw error;
        return { error };
      },
    );
    return isEnough(last) || isHopeless(last) ? last : undefined;
  };
  const isHopeless = (attempted: Attempted<T>): boolean =>
    "error" in attempted &&
    (!mayPass(attempted.error) ||
      (attempted.error.code === "ambiguous_target" && performance.now() >= started + ambiguousMs));
  const met = await lookAtChanges(surface, look, { end: started + ms, signal });
  const attempted = met ?? last;
  if (attempted && "value" in attempted) return attempted.value;
  const waited = Math.round(performance.now() - started);
  const { code, message, details } = attempted?.error ?? new ToolError("timeout", "Nothing was tried.");
  throw new ToolError(code, met ? message : `${message} Waited ${waited} ms.`, details);
}
