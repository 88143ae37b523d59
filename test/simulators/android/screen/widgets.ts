import type { Area, Field, Host } from "./app.ts";
import type { Look, Rect, View } from "./view.ts";

/** One line of a column: how high it is, and the view that fills it. */
export interface Row {
  readonly height: number;
  readonly make: (bounds: Rect) => View;
}

export function column(area: Rect, rows: readonly Row[], offset = 0): View[] {
  let y = area.y - offset;
  return rows.map(({ height, make }) => {
    const view = make({ x: area.x, y, width: area.width, height });
    y += height;
    return view;
  });
}

export const layout = (bounds: Rect, children: readonly View[], more: Partial<View> = {}): View => ({
  type: "android.widget.FrameLayout",
  bounds,
  isDecoration: true,
  children,
  ...more,
});

export function appBar(area: Area, title: string, idPrefix: string): { readonly bar: View; readonly rest: Area } {
  const height = area.dp(56);
  const bounds = { x: area.x, y: area.y, width: area.width, height };
  const text = { ...inset(bounds, area.dp(16), area.dp(8)) };
  return {
    bar: layout(
      bounds,
      [label(text, title, area, { size: area.dp(22), color: "#1b1b1f" }, `${idPrefix}:id/action_bar_title`)],
      { type: "android.view.ViewGroup", look: { fill: "#eef0f8" } },
    ),
    rest: { ...area, y: area.y + height, height: area.height - height },
  };
}

export const inset = (rect: Rect, dx: number, dy: number): Rect => ({
  x: rect.x + dx,
  y: rect.y + dy,
  width: rect.width - 2 * dx,
  height: rect.height - 2 * dy,
});

export const label = (bounds: Rect, text: string, area: Area, look: Look = {}, id?: string): View => ({
  type: "android.widget.TextView",
  bounds,
  text,
  id,
  look: { size: area.dp(16), color: "#1b1b1f", ...look },
});

export const button = (bounds: Rect, text: string, area: Area, id: string, onTap: () => void): View => ({
  type: "android.widget.Button",
  bounds,
  text,
  id,
  isFocusable: true,
  onTap,
  look: { fill: "#3b5ba9", color: "#ffffff", size: area.dp(16), align: "middle", radius: area.dp(20) },
});

export const iconButton = (bounds: Rect, path: string, more: Partial<View>): View => ({
  type: "android.widget.ImageButton",
  bounds,
  isFocusable: true,
  look: { icon: path, color: "#3b5ba9" },
  ...more,
});

export function field(bounds: Rect, it: Field, area: Area, host: Host, more: Partial<View> & { hint: string }): View {
  const { hint, ...rest } = more;
  const typed = rest.isPassword === true ? "•".repeat(it.text.length) : it.text;
  const isFocused = host.focused === it;
  return {
    type: "android.widget.EditText",
    bounds,
    // Since Android 8 the text of an empty field is its hint.
    text: typed === "" ? hint : typed,
    isFocusable: true,
    isFocused,
    onTap: () => host.focus(it),
    onLongPress: () => host.focus(it),
    look: {
      fill: "#ffffff",
      line: isFocused ? "#3b5ba9" : "#8a8d98",
      radius: area.dp(4),
      size: area.dp(16),
      color: typed === "" ? "#6d7080" : "#1b1b1f",
    },
    ...rest,
  };
}

export function switchRow(bounds: Rect, name: string, isOn: boolean, area: Area, id: string, onTap: () => void): View {
  const track = { x: bounds.x + bounds.width - area.dp(72), y: bounds.y + (bounds.height - area.dp(32)) / 2 };
  const text = inset(bounds, area.dp(16), area.dp(8));
  return layout(
    bounds,
    [
      label({ ...text, width: text.width - area.dp(80) }, name, area, {}, "android:id/title"),
      {
        type: "android.widget.Switch",
        bounds: { ...track, width: area.dp(52), height: area.dp(32) },
        id,
        text: isOn ? "ON" : "OFF",
        isCheckable: true,
        isChecked: isOn,
        look: {
          fill: isOn ? "#3b5ba9" : "#d8dae4",
          radius: area.dp(16),
          shown: "",
          icon: isOn ? knobOn : knobOff,
          color: "#ffffff",
        },
      },
    ],
    { type: "android.widget.LinearLayout", isDecoration: false, isFocusable: true, onTap },
  );
}

const knobOff = "M9 6a6 6 0 1 0 0 12 6 6 0 1 0 0-12z";
const knobOn = "M15 6a6 6 0 1 0 0 12 6 6 0 1 0 0-12z";

/** Everything an app shows, in the nested layouts that apps have. */
export const screen = (area: Area, children: readonly View[]): View[] => [
  layout(area, [layout(area, children, { type: "android.widget.LinearLayout" })], { look: { fill: "#fbfbff" } }),
];
