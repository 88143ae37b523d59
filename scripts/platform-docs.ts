import { androidNotes } from "./android-docs.ts";
import { backendTables } from "./backend-docs.ts";
import { MarkedTable } from "./marked-table.ts";
import {
  expectations,
  reasonAgainst,
  subjects,
  type Capability,
  type SubjectName,
} from "../test/conformance/toolkits/expectations.ts";

const names = Object.keys(subjects) as SubjectName[];
const capabilities = Object.keys(expectations) as Capability[];

/** The page of what works where, from the list that the conformance test holds against real programs. */
export function platformsMarkdown(): string {
  const table = new MarkedTable(names.map((name) => subjects[name]));
  for (const capability of capabilities) {
    table.add(
      expectations[capability].title,
      names.map((name) => reasonAgainst(capability, name)),
    );
  }
  return `${[
    "# What works where",
    "",
    "<!-- Printed by `npm run generate` from test/conformance/expectations.ts and test/conformance/toolkits/expectations.ts. -->",
    "",
    ...backendTables(),
    "## Linux: toolkits and browsers",
    "",
    "Each cell is tried on a real program on a private X11 desktop by `test/conformance/toolkits`, which fails when a cell is not",
    'as listed. "yes" means natively: the pointer stays where it is. "no" is not final: `click`, `type_text` and `act`',
    "fall back to real input, and the `ax_*` tools answer `not_dispatchable` with the point to click.",
    "",
    ...table.lines(),
    "",
    ...notes,
    "",
    ...androidNotes,
  ].join("\n")}\n`;
}

const notes = [
  "Versions in the tests: GTK 3.24, GTK 4.8, Qt 5.15, Qt 6.4, Chromium 156, Firefox ESR 153, at-spi2-core 2.46.",
  "",
  "## What programs need to be started with",
  "",
  "`launch_app` takes care of all this; on the private desktop (`--desktop virtual`) it applies to everything started there.",
  "",
  "| program | needs | can be switched on later |",
  "| --- | --- | --- |",
  "| GTK 3, GTK 4, Qt 5 | nothing | – |",
  "| Qt 6 | `QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1` in its environment, and no `AT_SPI_BUS_ADDRESS` | no |",
  "| Firefox | `GNOME_ACCESSIBILITY=1` in its environment | yes |",
  "| Chromium and what is built on it (Electron, Chrome, Edge) | the argument `--force-renderer-accessibility`; no variable does it | no |",
  "",
  "Chromium started without it exposes only its window: `not_supported` says so. As root it also needs `--no-sandbox`,",
  "which handsight never adds by itself.",
  "",
  "## Quirks that handsight works around",
  "",
  "- **Chromium** gives actions no names, puts a page's memory use into the name of its tab, and at a scale other than 1 counts",
  "  logical pixels in its windows and physical ones in its pages (`test/linux/browser-pages.test.ts` clicks at scale 2).",
  "- **Firefox** has names, texts and positions only some time after the first request: the first look waits for them. Its texts are",
  "  in boxes without a name; their text is shown as the name. Setting a number field or a selection natively changes the value",
  "  and fires no event, so it is refused.",
  "- **Pages**: what is scrolled away is counted (`… 54 more under a12g3`) and listed with `take_ax_snapshot {root}` or",
  "  `find_elements {within}`; `ax_scroll` brings it into view and `ax_click` presses it where it is.",
  "- **A page in an endless loop**: browsers answer with what they last knew; actions on it report `no_change`.",
  "- **GTK 3** gives INT_MIN, or uninitialised numbers, as the position of hidden elements, so only visible ones are asked for theirs. Its lists,",
  "  tables and trees are missing from the bulk answer and are walked separately.",
  "- **GTK 4** reports visibility for windows only, so size decides. Positions are relative to the window's content. It names unnamed widgets",
  '  by class ("GtkListItemWidget") and a dialog\'s buttons twice. Lists expose about 200 rows. What a popover shows is reported at the',
  "  corner of what opened it, so its X window says where it is.",
  "- **LibreOffice** describes its menu bar twice, gives everything the number 0, and says that a sheet has two billion cells: the",
  "  visible rows and columns are asked for.",
  "- **Qt** claims that scrolled-away rows are visible (we clip them), calls the tab in front focused, and names a combo box after",
  "  its item. A Qt button answers a press only when its action has finished: after one second the press counts as sent.",
  "- **Menu bars**: GTK 3 highlights a menu when it is pressed natively and GTK 4 has no action for it; `click` opens both.",
  "- **A frozen program** costs its deadline (`timeout`) and blocks nothing else.",
];
