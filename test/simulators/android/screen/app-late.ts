import { makeField, type App } from "./app.ts";
import { button, field, inset, label, layout, screen } from "./widgets.ts";
import type { Rect, View } from "./view.ts";

/** How the target comes late, or never. */
export type LateWay =
  | "appears"
  | "enabled"
  | "moves"
  | "replaced"
  | "covered"
  | "never"
  | "disabled"
  | "twice"
  | "under";
export type LateKind = "button" | "box" | "field";

interface Order {
  readonly way: LateWay;
  readonly kind: LateKind;
  readonly ms: number;
  readonly at: number;
  readonly text: ReturnType<typeof makeField>;
  isOn: boolean;
}

let order: Order | undefined;

/** What the app shows from now on, in every device. */
export function startLate(way: LateWay, kind: LateKind, ms: number): void {
  order = { way, kind, ms, at: Date.now(), text: makeField("target"), isOn: false };
}

/** What the field of the target contains. */
export const lateText = (): string => order?.text.text ?? "";

const isLateYet = ({ at, ms }: Order): boolean => Date.now() < at + ms;
const id = "org.example.late:id/target";

/** Its only control is there, enabled, still or uncovered after a while. */
export const late: App = {
  package: "org.example.late",
  activity: ".LateActivity",
  label: "Late",
  color: "#155e75",
  // What moves or is replaced sends events all the time.
  get restless() {
    const isMoving = order && (order.way === "moves" || order.way === "replaced") && isLateYet(order);
    return isMoving ? "everything" : undefined;
  },
  open: (host) => ({
    views(area) {
      if (!order) return screen(area, []);
      const { way, kind, text } = order;
      const now = order;
      const isYet = isLateYet(now);
      const place = { ...inset(area, area.dp(16), 0), y: area.y + area.dp(80), height: area.dp(48) };
      const target = (bounds: Rect, isEnabled = true): View => {
        if (kind === "field") return { ...field(bounds, text, area, host, { id, hint: "Target" }), isEnabled };
        const box: Partial<View> = { type: "android.widget.CheckBox", isCheckable: true, isChecked: now.isOn };
        const tapped = (): void => {
          now.isOn = !now.isOn;
          host.say({ kind: "toggle", name: "Target", on: now.isOn });
        };
        return { ...button(bounds, "Target", area, id, tapped), isEnabled, ...(kind === "box" ? box : {}) };
      };
      const shift = Math.floor((Date.now() - now.at) / 4) % area.dp(300);
      const cover: View = {
        ...layout(area, [label(place, "One moment", area)], { look: { fill: "#cccccc" } }),
        isDecoration: false,
        onTap: () => host.say({ kind: "toggle", name: "cover", on: true }),
      };
      const said = { ...place, y: place.y + area.dp(400) };
      const below = label(said, `${now.isOn ? "on" : "off"} ${text.text}`, area);
      const shown: Readonly<Record<LateWay, () => readonly View[]>> = {
        appears: () => (isYet ? [] : [target(place)]),
        enabled: () => [target(place, !isYet)],
        moves: () => [target(isYet ? { ...place, y: place.y + shift } : place)],
        replaced: () => [target({ ...place, height: place.height + (isYet ? Date.now() % 3 : 0) }, !isYet)],
        covered: () => (isYet ? [target(place), cover] : [target(place)]),
        never: () => [],
        disabled: () => [target(place, false)],
        twice: () => [target(place), target({ ...place, y: place.y + area.dp(100) })],
        under: () => [target(place), cover],
      };
      return screen(area, [...shown[way](), below]);
    },
  }),
};
