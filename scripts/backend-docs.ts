import type { Ability } from "../test/conformance/expectations.ts";
import {
  abilities,
  backends,
  behavioursOf,
  expectations,
  reasonAgainst,
  type BackendName,
} from "../test/conformance/expectations.ts";
import { MarkedTable } from "./marked-table.ts";

const names = Object.keys(backends) as BackendName[];

/** What each backend does for whoever uses the contract: a table for each ability, and how many cells hold. */
export function backendTables(): readonly string[] {
  return [
    "## Backends",
    "",
    "What every backend of the contract (`src/platform/backend.ts`) does, tried by `test/conformance` on a known app: a desktop in",
    "memory, real GTK and Qt apps on a private X11 desktop, a real Chromium, and the Android device of the tests. What happened is",
    "read from the app's own log, never through the backend. A cell that differs from this table fails the tests, in either",
    "direction. [Write a backend](write-a-backend.md) adds a column.",
    "",
    "macOS has not run on a real Mac: its column was tried on Linux against a [simulator](decisions/2026-11-18-macos-simulator.md) of",
    "Apple's frameworks. It shows that our code calls them correctly, not what a Mac does.",
    "",
    "On a Wayland desktop, Linux (X11) sees and uses X11 programs only (Xwayland). Pictures of the screen or a part of it, points",
    "without a window, and keys while no X11 window has the keyboard are refused (`not_supported`), and `doctor` says `limited`;",
    "tried on headless sway by `test/linux/wayland.test.ts`, not on GNOME or KDE. A private desktop has no such limits.",
    "",
    "Windows (Wine) is the backend for Windows, run under Wine 10 against an app in plain Win32. It has not run on a real Windows yet,",
    "where some cells may differ. Three of its parts no Wine can run; they are written from Microsoft's documentation: pictures of",
    "covered windows (`PrintWindow`), leaving the overlay out of captures (`SetWindowDisplayAffinity`; under Wine it is off the screen",
    "while a picture is taken), and refusing input to programs that run as administrator (`permission_missing`).",
    "",
    ...summary(),
    ...abilities.flatMap(tableOf),
  ];
}

function summary(): readonly string[] {
  const rows = names.map((name) => {
    const counts = abilities.map((ability) => {
      const all = behavioursOf(ability);
      const held = all.filter((each) => reasonAgainst(ability, each.name, name) === undefined);
      return held.length === all.length ? `${all.length}` : `${held.length} of ${all.length}`;
    });
    return `| ${backends[name]} | ${counts.join(" | ")} |`;
  });
  return [
    `| | ${abilities.map((ability) => expectations[ability].title).join(" | ")} |`,
    `| --- |${abilities.map(() => " --- |").join("")}`,
    ...rows,
    "",
  ];
}

function tableOf(ability: Ability): readonly string[] {
  const table = new MarkedTable(names.map((name) => backends[name]));
  for (const { name: behaviour, title } of behavioursOf(ability)) {
    table.add(
      title,
      names.map((name) => reasonAgainst(ability, behaviour, name)),
    );
  }
  return [`### ${expectations[ability].title}`, "", ...table.lines(), ""];
}
