import type { App, Area } from "./app.ts";
import { appBar, button, iconButton, inset, label, layout } from "./widgets.ts";
import type { View } from "./view.ts";

const star = "M12 2l3 7h7l-6 4 2 8-6-5-6 5 2-8-6-4h7z";
const cross = "M5 5l14 14M19 5L5 19";
const plus = "M11 4h2v7h7v2h-7v7h-2v-7H4v-2h7z";

/** A title, and room below it for rows of any height. */
function page(area: Area, title: string, packageName: string) {
  const { bar, rest } = appBar(area, title, packageName);
  const below = (offset: number, height: number) => ({
    ...inset(rest, area.dp(16), 0),
    y: rest.y + area.dp(offset),
    height: area.dp(height),
  });
  return { bar, below };
}

/** Buttons without text, as in half of all toolbars; one of them has an accessible name. */
export const icons: App = {
  package: "org.example.icons",
  activity: ".IconActivity",
  label: "Icons",
  color: "#9333ea",
  open(host) {
    const counts = { star: 0, cross: 0, plus: 0 };
    return {
      views(area) {
        const { bar, rest } = appBar(area, "Icons", "org.example.icons");
        const size = area.dp(64);
        const at = (index: number) => ({
          x: rest.x + area.dp(24) + index * area.dp(96),
          y: rest.y + area.dp(24),
          width: size,
          height: size,
        });
        const press = (name: keyof typeof counts) => () => {
          counts[name] += 1;
          host.say({ kind: "toggle", name, on: true });
        };
        const text = { ...inset(rest, area.dp(16), area.dp(120)), height: area.dp(48) };
        return [
          layout(
            area,
            [
              bar,
              iconButton(at(0), star, { onTap: press("star") }),
              iconButton(at(1), cross, { onTap: press("cross"), look: { icon: cross, line: "#b3261e" } }),
              iconButton(at(2), plus, { onTap: press("plus"), description: "Add" }),
              label(text, `Pressed ${counts.star + counts.cross + counts.plus} times`, area),
            ],
            { look: { fill: "#fbfbff" } },
          ),
        ];
      },
    };
  },
};

const spinner = (turn: number): View["look"] => ({
  icon: `M${12 + 8 * Math.cos(turn)} ${12 + 8 * Math.sin(turn)}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0`,
  color: "#d97706",
});

/** An endless animation, of the kind that only an uncompressed dump waits for. */
export const busy: App = {
  package: "org.example.busy",
  activity: ".BusyActivity",
  label: "Busy",
  restless: "decoration",
  color: "#d97706",
  open(host) {
    let presses = 0;
    return {
      views(area) {
        const { bar, below } = page(area, "Busy", "org.example.busy");
        return [
          layout(
            area,
            [
              bar,
              {
                type: "android.widget.ProgressBar",
                bounds: below(16, 96),
                isDecoration: true,
                look: spinner(Date.now() / 200),
              },
              label(below(128, 48), `Loading, stopped ${presses} times`, area),
              button(below(192, 48), "Stop", area, "org.example.busy:id/stop", () => {
                presses += 1;
                host.say({ kind: "toggle", name: "stop", on: true });
              }),
            ],
            { look: { fill: "#fbfbff" } },
          ),
        ];
      },
    };
  },
};

/** Never idle for any dump: important views change all the time. */
export const restless: App = {
  package: "org.example.restless",
  activity: ".TickerActivity",
  label: "Ticker",
  restless: "everything",
  color: "#be123c",
  open: (host) => ({
    views(area) {
      const { bar, below } = page(area, "Ticker", "org.example.restless");
      return [
        layout(
          area,
          [
            bar,
            label(below(16, 64), `${Math.floor(Date.now() / 10) % 100_000}`, area, { size: area.dp(28) }),
            button(below(96, 48), "Refresh", area, "org.example.restless:id/refresh", () =>
              host.say({ kind: "toggle", name: "refresh", on: true }),
            ),
          ],
          { look: { fill: "#fbfbff" } },
        ),
      ];
    },
  }),
};

/** A game or a drawing: one view that paints everything itself. */
export const canvas: App = {
  package: "org.example.canvas",
  activity: ".GameActivity",
  label: "Game",
  color: "#0f766e",
  open(host) {
    let level = 0;
    return {
      views(area) {
        const start = {
          x: area.x + area.width / 2 - area.dp(100),
          y: area.y + area.dp(200),
          width: area.dp(200),
          height: area.dp(64),
        };
        return [
          {
            type: "android.view.SurfaceView",
            bounds: area,
            look: { fill: "#0b3b36" },
            children: [
              {
                ...button(start, level === 0 ? "Start game" : `Level ${level}`, area, "", () => {
                  level += 1;
                  host.say({ kind: "toggle", name: "start", on: true });
                }),
                isOnlyPainted: true,
              },
            ],
          },
        ];
      },
    };
  },
};

/** A bank's screen: readable for accessibility, black in every screenshot. */
export const vault: App = {
  package: "org.example.vault",
  activity: ".VaultActivity",
  label: "Vault",
  isSecure: true,
  color: "#334155",
  open: (host) => ({
    views(area) {
      const { bar, rest } = appBar(area, "Vault", "org.example.vault");
      const row = { ...inset(rest, area.dp(16), 0), height: area.dp(56) };
      return [
        layout(
          area,
          [
            bar,
            label(row, "Balance 1234.56", area),
            button({ ...row, y: row.y + area.dp(64) }, "Pay", area, "org.example.vault:id/pay", () =>
              host.say({ kind: "toggle", name: "pay", on: true }),
            ),
          ],
          { look: { fill: "#fbfbff" } },
        ),
      ];
    },
  }),
};
