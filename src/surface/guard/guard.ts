import type { Backend, Elements } from "../../platform/backend.ts";
import { guardCommands } from "./commands.ts";
import { BlockedWindows, type FindBlocked, type InputLimits } from "./blocked.ts";
import { guardElements } from "./elements.ts";
import type { GuardedBackend } from "./guarded.ts";
import { guardInput } from "./input.ts";
import { guardApps, guardKeyboard, guardPointer, guardTouch, guardWindows } from "./hands.ts";
import { nameOwners } from "./owners.ts";
import { guardPageScreen, guardScreen } from "./screen.ts";
import { SecretFields } from "./secret-fields.ts";

export interface Privacy {
  readonly findBlocked: FindBlocked;
  /** Windows that may be seen but not used now. */
  readonly inputLimits?: InputLimits;
  /** Paint over password fields, and fields that show a secret. */
  readonly masksFields: boolean;
  /** Undefined when there are no secrets to look for. */
  readonly holdsSecret: ((text: string) => boolean) | undefined;
  /** Start reading elements while it is still being checked whether they may be read. */
  readonly readsAhead?: boolean;
}

/**
 * Wraps a backend so that nobody can see or use what the policy blocks. It sits below everything else, so a tool that
 * forgets the policy still cannot get around it.
 */
export function guardBackend(
  backend: Backend,
  { findBlocked, inputLimits, masksFields, holdsSecret, readsAhead = false }: Privacy,
): GuardedBackend {
  const { screen, pointer, keyboard, touch, input, windows, apps, elements, clipboard, events, commands, overlay } =
    backend;
  if (!windows) return backend;
  const blocked = new BlockedWindows(windows, findBlocked, inputLimits);
  const fields = masksFields && elements ? new SecretFields(elements, events, holdsSecret) : undefined;
  return {
    id: backend.id,
    windows: guardWindows(windows, blocked),
    ...(screen ? { screen: guardScreen(screen, blocked, fields) } : {}),
    ...(pointer ? { pointer: guardPointer(pointer, blocked) } : {}),
    ...(keyboard ? { keyboard: guardKeyboard(keyboard, blocked) } : {}),
    ...(touch ? { touch: guardTouch(touch, blocked) } : {}),
    ...(input ? { input: guardInput(input, blocked, elements) } : {}),
    ...(apps ? { apps: guardApps(apps, blocked) } : {}),
    ...(elements ? { elements: guardElements(elements, blocked, readsAhead) } : {}),
    ...(clipboard ? { clipboard } : {}),
    ...(backend.traces ? { traces: backend.traces.bind(backend) } : {}),
    ...(events ? { events } : {}),
    ...(commands ? { commands: guardCommands(commands, blocked) } : {}),
    ...(overlay ? { overlay } : {}),
    diagnose: () => backend.diagnose(),
    async [Symbol.asyncDispose]() {
      await fields?.[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

/**
 * A page as a surface, without its password fields and blocked frames. Which pages may be used at all is decided where they
 * are opened, and which frames where they are judged (addresses.ts).
 */
export function guardPage(backend: Backend, { masksFields, holdsSecret }: Privacy): GuardedBackend {
  const { screen, elements, events, windows } = backend;
  const fields = screen && elements && masksFields ? new SecretFields(elements, events, holdsSecret) : undefined;
  const followed = fields ?? framesOf(elements);
  // If the surface does not report its password fields, search the elements of its windows for them.
  const searched = fields && (holdsSecret || !elements?.followSecretFields) ? windows : undefined;
  return {
    ...backend,
    ...(screen && followed ? { screen: guardPageScreen(screen, searched, followed) } : {}),
    ...(windows ? { windows: nameOwners(windows) } : {}),
    diagnose: () => backend.diagnose(),
    async [Symbol.asyncDispose]() {
      await fields?.[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

/** Blocked frames alone, where password fields may be seen. */
function framesOf(elements: Elements | undefined): Pick<SecretFields, "follow"> | undefined {
  const follow = elements?.followSecretFields?.bind(elements);
  return follow && { follow: (_windows, signal) => follow({ signal, hasFields: false }) };
}
