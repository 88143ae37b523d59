/** The programs on which every capability is tried, and their toolkits. */
export const subjects = {
  gtk3: "GTK 3",
  gtk4: "GTK 4",
  qt5: "Qt 5",
  qt6: "Qt 6",
  chromium: "Chromium",
  firefox: "Firefox",
} as const;
export type SubjectName = keyof typeof subjects;

type Reasons = Partial<Record<SubjectName, string>>;

interface Expectation {
  /** What is tried, as docs/platforms.md says it. */
  readonly title: string;
  /** Where it does not work, and why. Everywhere else it must. */
  readonly cannot?: Reasons;
}

const scrolledAway = "rows that are scrolled away are not reported; scroll the list with `scroll`";
const noIds = "does not report the programmer's ids";

/**
 * What each toolkit can do through accessibility, without the pointer unless the title says so.
 * `capabilities.test.ts` tries every cell on a real program and fails when one is not as listed here, in either
 * direction; `npm run generate` prints docs/platforms.md from it.
 */
export const expectations = {
  tree: { title: "Elements with role, name, states and value" },
  places: { title: "Places: a click in the middle of an element reaches it" },
  at: { title: "What is at a point" },
  press: { title: "Press a button" },
  toggle: {
    title: "Switch a check box",
    cannot: { gtk4: "no native action: `click` uses the pointer" },
  },
  radio: {
    title: "Pick a radio button",
    cannot: { gtk4: "no native action: `click` uses the pointer" },
  },
  slider: { title: "Set a slider" },
  spin: {
    title: "Set a number field",
    cannot: { firefox: "would change it without notifying the page: `act` types it" },
  },
  write: {
    title: "Set the text of a field, any Unicode",
    cannot: {
      chromium: "has no EditableText: `act` types it",
      firefox: "answers true and writes nothing: `act` types it",
    },
  },
  read: { title: "Read the text of a field" },
  password: { title: "A password is never revealed" },
  chosen: { title: "Chosen item of a combo box" },
  choose: {
    title: "Choose an item of a combo box by name",
    cannot: {
      gtk4: "its drop-down keeps no selection: open it and click",
      qt5: "its combo box keeps no selection: open it and click",
      qt6: "its combo box keeps no selection: open it and click",
      firefox: "would change it without notifying the page: `act` types it",
    },
  },
  tab: { title: "Select a tab" },
  row: { title: "Select a row of a list" },
  expand: {
    title: "Expand a tree row, or details of a page",
    cannot: {
      gtk4: "GtkTreeView does not expose its rows",
      qt5: "no native way: click it",
      qt6: "no native way: click it",
    },
  },
  focus: {
    title: "Give the keyboard focus",
    cannot: { gtk4: "has no GrabFocus: `click` or `type_text {uid}`, which clicks" },
  },
  scroll: {
    title: "Scroll an element into view",
    cannot: { gtk3: scrolledAway, gtk4: scrolledAway, qt5: scrolledAway, qt6: scrolledAway },
  },
  events: { title: "Events when a state changes" },
  ids: {
    title: "Programmer's ids (`#id` in selectors)",
    cannot: { gtk4: noIds, qt5: noIds, qt6: noIds },
  },
} as const satisfies Record<string, Expectation>;
export type Capability = keyof typeof expectations;

export function reasonAgainst(capability: Capability, subject: SubjectName): string | undefined {
  const { cannot }: Expectation = expectations[capability];
  return cannot?.[subject];
}
