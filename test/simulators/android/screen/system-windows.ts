import type { Area } from "./app.ts";
import type { View } from "./view.ts";
import { inset, label, layout } from "./widgets.ts";

export const statusBar = (area: Area): View[] => [
  layout(
    area,
    [label(inset(area, area.dp(16), 0), "12:00", area, { size: area.dp(13) }, "com.android.systemui:id/clock")],
    {
      look: { fill: "#e3e5ee" },
    },
  ),
];

export const lockScreen = (area: Area): View[] => [
  layout(
    area,
    [
      label(
        { ...inset(area, area.dp(32), area.dp(160)), height: area.dp(80) },
        "12:00",
        area,
        { size: area.dp(64), color: "#ffffff" },
        "com.android.systemui:id/lockscreen_clock_view",
      ),
      label(
        { x: area.x, y: area.height - area.dp(96), width: area.width, height: area.dp(32) },
        "Swipe up to open",
        area,
        { align: "middle", color: "#ffffff" },
        "com.android.systemui:id/keyguard_indication_text",
      ),
    ],
    { id: "com.android.systemui:id/keyguard_root_view", look: { fill: "#10131c" } },
  ),
];

/** Its keys are only painted: the stock keyboard exposes elements, but not reliably. */
export const softKeyboard = (area: Area): View[] => [
  layout(
    area,
    ["qwertyuiop", "asdfghjkl", "zxcvbnm"].flatMap((line, row) =>
      [...line].map((letter, index): View => {
        const width = area.width / 10;
        const height = area.height / 4;
        return {
          type: "android.view.View",
          isOnlyPainted: true,
          bounds: inset({ x: area.x + index * width, y: area.y + row * height, width, height }, area.dp(2), area.dp(3)),
          look: {
            fill: "#ffffff",
            shown: letter,
            size: area.dp(18),
            align: "middle",
            color: "#1b1b1f",
            radius: area.dp(4),
          },
          // A touch on the keyboard must not reach what it covers.
          onTap: () => {},
        };
      }),
    ),
    { description: "Keyboard", look: { fill: "#dfe2ec" }, onTap: () => {} },
  ),
];
