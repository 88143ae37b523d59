import type { Ability } from "../expectations.ts";
import { apps } from "./apps.ts";
import { clipboard } from "./clipboard.ts";
import { commands } from "./commands.ts";
import { elements } from "./elements.ts";
import { events } from "./events.ts";
import { input } from "./input.ts";
import { keyboard } from "./keyboard.ts";
import { overlay } from "./overlay.ts";
import { pointer } from "./pointer.ts";
import { screen } from "./screen.ts";
import type { Behaviour, Behaviours } from "./shared.ts";
import { windows } from "./windows.ts";

const behaviours: { readonly [A in Ability]: Behaviours<A> } = {
  screen,
  pointer,
  keyboard,
  input,
  windows,
  apps,
  clipboard,
  elements,
  events,
  commands,
  overlay,
};

export function behaviourOf(ability: Ability, name: string): Behaviour {
  const own: Readonly<Record<string, Behaviour>> = behaviours[ability];
  const found = own[name];
  if (!found) throw new Error(`nobody tries ${ability}.${name}`);
  return found;
}
