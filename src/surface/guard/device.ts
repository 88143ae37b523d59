import { intersect, type Rect } from "../../base/geometry.ts";
import type { Backend, Capture, CaptureArea, CaptureOptions, EncodedCapture, Screen } from "../../platform/backend.ts";
import { needOpen } from "../choose-window.ts";
import { BlockedWindows, type FindBlocked } from "./blocked.ts";
import { guardBackend, type Privacy } from "./guard.ts";
import type { GuardedBackend, GuardedScreen, GuardedWindow } from "./guarded.ts";
import { paintOver } from "./paint.ts";
import { SecretFields } from "./secret-fields.ts";

/**
 * A device as a surface, without blocked apps and password fields. The app in front and the fields are read while the
 * picture is taken, not before and after it: on a phone each is slow, and together they take no longer than one.
 */
export function guardDevice(
  backend: Backend,
  {
    findBlocked,
    masksFields,
    holdsSecret,
  }: Omit<Privacy, "findBlocked"> & { readonly findBlocked: FindBlocked | undefined },
): GuardedBackend {
  const { screen, windows, elements, events } = backend;
  if (!screen || !windows || !elements) return backend;
  const guarded = findBlocked
    ? guardBackend(backend, { findBlocked, masksFields: false, holdsSecret: undefined, readsAhead: true })
    : backend;
  const fields = masksFields ? new SecretFields(elements, events, holdsSecret) : undefined;
  const blocked = findBlocked && new BlockedWindows(windows, findBlocked);
  return {
    ...guarded,
    screen: guardScreen(screen, {
      front: async (options) => (blocked ? blocked.list(options) : []),
      hidden: async (options) => {
        if (!fields || options.isEvidence) return [];
        const all = holdsSecret || !elements.followSecretFields ? await windows.list(options) : [];
        const followed = await fields.follow(all, options.signal);
        return (await followed.end()).fields.map(({ bounds }) => bounds);
      },
    }),
    diagnose: () => backend.diagnose(),
    async [Symbol.asyncDispose]() {
      await fields?.[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

interface Watch {
  readonly front: (options: CaptureOptions) => Promise<readonly GuardedWindow[]>;
  readonly hidden: (options: CaptureOptions) => Promise<readonly Rect[]>;
}

function guardScreen(screen: Screen, watch: Watch): GuardedScreen {
  const encoded = screen.encoded?.bind(screen);
  const covered = async <Taken extends { readonly bounds: Rect }>(
    taking: Promise<Taken>,
    area: CaptureArea,
    options: CaptureOptions,
  ) => {
    const [taken, front, hidden] = await Promise.all([taking, watch.front(options), watch.hidden(options)]);
    const blocked = front.filter((window) => window.blocked && intersect(window.bounds, taken.bounds));
    if (area.kind === "window") for (const window of blocked) needOpen(window);
    const parts = [...blocked.map(({ bounds }) => bounds), ...hidden].filter((part) => intersect(part, taken.bounds));
    return { taken, parts };
  };
  return {
    units: screen.units,
    ...(screen.isSlow === undefined ? {} : { isSlow: screen.isSlow }),
    displays: (options) => screen.displays(options),
    bounds: (options) => screen.bounds(options),
    async capture(area, options = {}) {
      const { taken, parts } = await covered(screen.capture(area, options), area, options);
      return paintOver(taken, parts, parts.length);
    },
    ...(encoded
      ? {
          async encoded(area: CaptureArea, options: CaptureOptions = {}) {
            const taking = encoded(area, options).then((taken) => taken ?? screen.capture(area, options));
            const { taken, parts } = await covered(taking, area, options);
            if (parts.length === 0) return taken;
            return paintOver("png" in taken ? await decoded(taken) : taken, parts, parts.length);
          },
        }
      : {}),
  };
}

const decoded = async (taken: EncodedCapture): Promise<Capture> => ({
  pixels: await taken.decode(),
  bounds: taken.bounds,
  [Symbol.dispose]() {},
});
