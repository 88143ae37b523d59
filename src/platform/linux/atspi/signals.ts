import type { ElementEventKind } from "../../backend.ts";
import type { MatchRule, Signal } from "../dbus/signals.ts";
import type { Value } from "../dbus/value.ts";

/** For each kind of event, what to request from the registry and which D-Bus signals then arrive. */
export const subscriptions: Readonly<
  Record<ElementEventKind, { readonly events: readonly string[]; readonly rules: readonly MatchRule[] }>
> = {
  focus: { events: ["object:state-changed:focused"], rules: [object("StateChanged")] },
  state: {
    events: ["object:state-changed", "object:selection-changed"],
    rules: [object("StateChanged"), object("SelectionChanged")],
  },
  children: { events: ["object:children-changed"], rules: [object("ChildrenChanged")] },
  property: { events: ["object:property-change"], rules: [object("PropertyChange")] },
  text: { events: ["object:text-changed"], rules: [object("TextChanged")] },
  window: {
    events: [
      "window:create",
      "window:destroy",
      "window:activate",
      "window:deactivate",
      "window:minimize",
      "window:restore",
    ],
    rules: [{ interface: "org.a11y.atspi.Event.Window" }],
  },
  bounds: { events: ["object:bounds-changed"], rules: [object("BoundsChanged")] },
};

function object(member: string): MatchRule {
  return { interface: "org.a11y.atspi.Event.Object", member };
}

export interface Happening {
  readonly kind: ElementEventKind;
  readonly detail: string;
}

/** What a signal means; undefined when its kind was not requested. */
export function toHappening(
  { member, interface: name, body }: Signal,
  kinds: ReadonlySet<ElementEventKind>,
): Happening | undefined {
  const [first, on] = body;
  const happening = classify(name, member, typeof first === "string" ? first : "", on);
  return happening && kinds.has(happening.kind) ? happening : undefined;
}

function classify(name: string, member: string, detail: string, on: Value | undefined): Happening | undefined {
  if (name.endsWith(".Window")) return { kind: "window", detail: member.toLowerCase() };
  switch (member) {
    case "StateChanged":
      if (detail === "focused") return on === 1 ? { kind: "focus", detail } : { kind: "state", detail: "!focused" };
      return { kind: "state", detail: on === 1 ? detail : `!${detail}` };
    case "SelectionChanged":
      return { kind: "state", detail: "selection" };
    case "ChildrenChanged":
      return { kind: "children", detail };
    case "PropertyChange":
      return { kind: "property", detail: detail.replace(/^accessible-/, "") };
    case "TextChanged":
      return { kind: "text", detail };
    case "BoundsChanged":
      return { kind: "bounds", detail: "" };
    default:
      return undefined;
  }
}
