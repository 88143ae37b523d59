import type { Ability as AnyAbility } from "../../src/platform/backend.ts";

/** What a desktop can have. Page acts and touch belong to one backend each; their own tests cover them. */
export type Ability = Exclude<AnyAbility, "page" | "touch">;

/** The backends on which every behaviour is tried. */
export const backends = {
  fake: "Fake",
  linux: "Linux (X11)",
  cdp: "Page (CDP)",
  android: "Android",
  macos: "macOS (simulator)",
  windows: "Windows (Wine)",
} as const;
export type BackendName = keyof typeof backends;

type Reasons = Partial<Record<BackendName, string>>;

interface Expectation {
  /** What holds, as docs/platforms.md says it. */
  readonly title: string;
  /** Where it does not hold, and why. Everywhere else it must. */
  readonly cannot?: Reasons;
}

interface AbilityExpectations {
  readonly title: string;
  /** Backends without this member: then nothing below holds. */
  readonly missing?: Reasons;
  readonly behaviours: Readonly<Record<string, Expectation>>;
}

const onePage = "a page is one window; other pages are separate surfaces";
const byBrowser = "the browser's window is changed on its desktop";
const onePerDisplay = "what is in front is the only window of a display";
const asciiOnly = "`input` types ASCII; the rest needs a helper keyboard on the device, and is refused as a whole";
const wholeGesture = "a gesture goes out in one piece, from its start to its end, when the finger is lifted";
const noPointer = "has no pointer to draw";
const notQuit = "Android apps can be left but not quit";
const byDesktop = "the pointer over a browser's window is taken on its desktop";
const oneProcess =
  "the simulator lives in the host process, so no second one shares its screen; its report checks that nothing stays held";
const notYetOnMac = "not written for macOS yet";
const macKeys = "on a Mac, Home and End scroll without moving the cursor";
const commandKey = "on a Mac, ctrl+a goes to the beginning; meta+a selects all";
const inOwnTests = "tried on fixtures of their own by `test/windows`, not yet by this list";
const oneScale = "Wine has one scale for all of a Windows; not yet run on a real one";
const keepsHeld = "a closed connection leaves the page's buttons and keys as they are";

/**
 * What a backend does for users of the contract. The suite tries every cell and fails when one is not as listed here,
 * in either direction; `npm run generate` prints docs/platforms.md from it.
 */
export const expectations = {
  screen: {
    title: "Screen",
    behaviours: {
      displays: { title: "Lists displays with the screen's real size, one of them primary" },
      screen: { title: "Captures the whole screen in the exact colours" },
      display: { title: "Captures a display" },
      window: { title: "Captures a window, with the window's own bounds" },
      region: { title: "Captures a region to the exact pixel" },
      clipped: { title: "Clips a region that reaches beyond the screen" },
      offScreen: { title: "Refuses a region off the screen (`out_of_bounds`)" },
      covered: {
        title: "Captures a covered window whole",
        cannot: {
          windows: "under Wine no window draws itself for another program: `focus_window` first",
          cdp: onePage,
          android: onePerDisplay,
        },
      },
      minimized: {
        title: "Refuses a minimised window (`not_supported`)",
        cannot: { cdp: byBrowser, android: onePerDisplay },
      },
      goneWindow: { title: "Refuses a window that is gone (`window_gone`)" },
      goneDisplay: { title: "Refuses an unknown display (`not_found`)" },
      repaint: { title: "Shows what the app has just painted" },
      cursor: { title: "Draws the pointer only on request", cannot: { cdp: noPointer, android: noPointer } },
      located: {
        title: "Says where windows were when the picture was taken",
        cannot: { cdp: "its one window never moves", android: "what is in front never moves" },
      },
      doubled: { title: "Captures every pixel at scale 2", cannot: { windows: oneScale } },
      fractional: { title: "Captures every pixel at scale 1.5", cannot: { windows: oneScale } },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  pointer: {
    title: "Pointer",
    behaviours: {
      position: { title: "Is where it was moved to" },
      left: { title: "Clicks left at the exact point" },
      right: { title: "Clicks right at the exact point" },
      middle: { title: "Clicks middle at the exact point", cannot: { android: "a touch screen has no middle button" } },
      sides: {
        title: "Clicks the back and forward buttons",
        cannot: { android: "Back is a device key, and there is no Forward" },
      },
      tap: { title: "Taps: one press, one release", cannot: { cdp: "presses and releases one after the other" } },
      corners: { title: "Clicks the first and the last pixel of an area" },
      hover: {
        title: "Is seen by the app before any button is pressed",
        cannot: { android: "a finger is not seen before it touches" },
      },
      drag: { title: "Drags through every point, button held", cannot: { android: wholeGesture } },
      wheelDown: { title: "Turns the wheel down by the notches asked for" },
      wheelUp: { title: "Turns the wheel up" },
      wheelRight: { title: "Turns the wheel right" },
      wheelLeft: { title: "Turns the wheel left" },
      offScreen: {
        title: "Refuses a point off the screen (`out_of_bounds`)",
        cannot: { cdp: "takes any point; outside the viewport nothing is reached" },
      },
      released: {
        title: "Releases a held button when closed",
        cannot: { macos: oneProcess, cdp: keepsHeld, android: wholeGesture },
      },
      doubled: { title: "Clicks the exact point at scale 2", cannot: { windows: oneScale } },
      fractional: { title: "Clicks the exact point at scale 1.5", cannot: { windows: oneScale } },
      cancelled: { title: "Stays where it is when cancelled" },
    },
  },
  keyboard: {
    title: "Keyboard",
    behaviours: {
      ascii: { title: "Types every printable ASCII character" },
      accents: { title: "Types accents (é ñ ü ß)", cannot: { android: asciiOnly } },
      cjk: { title: "Types CJK (漢字 かな 한글)", cannot: { android: asciiOnly } },
      emoji: { title: "Types emoji, joined ones too (🎉 👩‍👩‍👧)", cannot: { android: asciiOnly } },
      combining: { title: "Types combining marks", cannot: { android: asciiOnly } },
      rightToLeft: { title: "Types right-to-left text (שלום سلام)", cannot: { android: asciiOnly } },
      lines: { title: "Types line breaks and tabs" },
      long: { title: "Types 1 000 characters in order" },
      taken: { title: "Returns when the app has received the text" },
      editing: { title: "Moves and deletes with named keys", cannot: { macos: macKeys } },
      chord: { title: "Presses chords (Ctrl+A)", cannot: { macos: commandKey } },
      shift: {
        title: "Holds Shift while other keys are pressed",
        cannot: { android: "the test device selects all or nothing" },
      },
      releasedModifiers: { title: "Leaves no modifier held after a chord" },
      upAndDown: {
        title: "Reports every key down and up to the app",
        cannot: { android: "a modifier alone goes out when it is released" },
      },
      released: {
        title: "Releases held keys when closed",
        cannot: { macos: oneProcess, cdp: keepsHeld, android: "a modifier alone goes out when it is released" },
      },
      cancelled: { title: "Stops typing when cancelled", cannot: { android: "up to 300 characters go out at once" } },
    },
  },
  input: {
    title: "Input of the person",
    missing: { android: "adb reports no touches to others", macos: notYetOnMac },
    behaviours: {
      position: { title: "Says where the pointer is" },
      moved: { title: "Reports that the pointer moves, wherever it is" },
      ends: { title: "Reports nothing once disposed of" },
      grabbed: { title: "Takes a click from every app, and says where it was", cannot: { cdp: byDesktop } },
      returned: { title: "Gives the pointer back when disposed of", cannot: { cdp: byDesktop } },
      closed: { title: "Gives the pointer back when closed", cannot: { cdp: byDesktop } },
      escape: { title: "Hears Escape while it has the pointer, and no other key", cannot: { cdp: byDesktop } },
      busy: { title: "Refuses while another program has the pointer (`timeout`)", cannot: { cdp: byDesktop } },
      heardClick: {
        title: "Hears where and with which modifiers a button goes down and up, and the app gets it all the same",
      },
      heardWheel: { title: "Hears the wheel" },
      heardKeys: { title: "Hears keys as the layout names them, and what they write" },
      heardEnds: { title: "Hears nothing once disposed of" },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  windows: {
    title: "Windows",
    behaviours: {
      listed: { title: "Lists the app's window with title, process and exact bounds" },
      order: { title: "Lists the topmost window first", cannot: { cdp: onePage, android: onePerDisplay } },
      get: { title: "Gets one window as it is in the list" },
      unknown: { title: "Gives nothing for an unknown window" },
      active: { title: "Says which window is in front" },
      retitled: { title: "Follows a title", cannot: { android: "an activity has no title to follow" } },
      opened: { title: "Lists a window that has just opened", cannot: { cdp: onePage, android: onePerDisplay } },
      dialog: { title: "Lists a dialog as one", cannot: { android: "a dialog is part of what is in front" } },
      focus: { title: "Raises a window and gives it the keyboard", cannot: { cdp: onePage, android: onePerDisplay } },
      back: {
        title: "Sends a window to the back",
        cannot: {
          macos: "macOS lets nobody put the window of another app behind the others",
          cdp: onePage,
          android: onePerDisplay,
        },
      },
      minimize: { title: "Minimises and restores", cannot: { cdp: byBrowser, android: onePerDisplay } },
      maximize: {
        title: "Maximises and restores to the same bounds",
        cannot: { cdp: byBrowser, android: onePerDisplay },
      },
      move: { title: "Moves to the exact place", cannot: { cdp: byBrowser, android: onePerDisplay } },
      resize: { title: "Resizes to the exact size", cannot: { cdp: byBrowser, android: onePerDisplay } },
      close: { title: "Closes", cannot: { cdp: onePage, android: onePerDisplay } },
      gone: { title: "Refuses to change a window that is gone (`window_gone`)" },
      drained: {
        title: "Says when an app has handled all input",
        cannot: { cdp: "every input already waits for the page's answer", android: "nothing reports it" },
      },
      changes: { title: "Counts changes of the windows", cannot: { cdp: "is not counted", android: "is not counted" } },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  apps: {
    title: "Apps",
    missing: { cdp: "a page starts no apps" },
    behaviours: {
      running: { title: "Lists the running app with its windows" },
      installed: { title: "Lists installed apps under ids that can be launched" },
      resolve: {
        title: "Says what a name would start",
        cannot: { android: "`launch` takes packages, which name what they start" },
      },
      launch: { title: "Launches an app" },
      unknown: { title: "Refuses an unknown app (`not_found`)" },
      quit: { title: "Quits an app", cannot: { android: notQuit } },
      force: { title: "Ends a frozen app by force", cannot: { android: notQuit } },
      timeout: { title: "Gives up on a frozen app in the time allowed (`timeout`)", cannot: { android: notQuit } },
      notRunning: { title: "Refuses a process that has ended (`process_not_running`)", cannot: { android: notQuit } },
    },
  },
  clipboard: {
    title: "Clipboard",
    missing: {
      cdp: "a page has no clipboard of its own; the desktop's is used",
      android: "adb has no access to the clipboard",
    },
    behaviours: {
      write: { title: "Gives its text to other apps" },
      read: { title: "Reads the text of other apps" },
      unicode: { title: "Keeps any Unicode, both ways" },
      empty: { title: "Keeps an empty text" },
      long: { title: "Keeps a megabyte" },
      picture: { title: "Gives nothing where a picture was copied" },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  elements: {
    title: "Elements",
    missing: { windows: inOwnTests },
    behaviours: {
      tree: { title: "Lists controls with role and name, parents first" },
      places: { title: "Says where a control is, to the pixel" },
      clickPoint: { title: "Gives a point that reaches the control" },
      states: { title: "Reports enabled or disabled, checked or unchecked" },
      value: { title: "Reports the text of a field" },
      range: {
        title: "Reports the position and range of a slider",
        cannot: { android: "a dump has no slider positions" },
      },
      secret: { title: "Never reveals a password" },
      budget: { title: "Keeps to the number of elements asked for, and says what it left out" },
      below: { title: "Lists what is below one element" },
      at: { title: "Reports what is at a point, innermost first" },
      nothingAt: { title: "Reports nothing where nothing is" },
      focused: { title: "Reports what has the focus" },
      identity: { title: "Keeps an element's identity from one look to the next" },
      read: { title: "Reads elements again, in the order asked for" },
      text: { title: "Reads a text up to a limit, and its whole length" },
      press: { title: "Presses a button without the pointer" },
      toggle: { title: "Switches a check box" },
      setText: { title: "Sets the text of a field, any Unicode", cannot: { android: asciiOnly } },
      setNumber: { title: "Sets a slider", cannot: { android: "a dump has no slider positions" } },
      select: { title: "Selects a row", cannot: { android: "a row is pressed" } },
      expand: { title: "Expands and collapses", cannot: { android: "no native way: click it" } },
      focus: { title: "Gives the focus" },
      scroll: {
        title: "Scrolls a hidden row into view",
        cannot: {
          linux: "GTK 3 does not report rows that are scrolled away: `scroll` the list",
          android: "a dump has only what is visible: `scroll` the list",
        },
      },
      unoffered: { title: "Refuses what a control cannot do" },
      stale: { title: "Refuses an element that is gone (`uid_not_found`)" },
      staleRead: { title: "Reads nothing from an element that is gone" },
      frozenTree: { title: "Gives up on a frozen app in the time allowed: tree" },
      frozenAt: { title: "Gives up on a frozen app in the time allowed: point" },
      frozenFocus: { title: "Gives up on a frozen app in the time allowed: focus" },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  events: {
    title: "Events",
    missing: { windows: inOwnTests, android: "adb reports nothing; the screen is read again" },
    behaviours: {
      focus: { title: "Reports that the focus moves" },
      text: { title: "Reports that a text changes" },
      state: {
        title: "Reports that a box is checked",
      },
      children: { title: "Reports that an element goes" },
      window: { title: "Reports that a window opens and closes", cannot: { cdp: onePage } },
      identity: {
        title: "Names the app and the element as the tree does",
      },
      kinds: { title: "Reports only the kinds asked for" },
      ends: { title: "Reports nothing once disposed of" },
      told: { title: "Says when everything so far has been reported", cannot: { cdp: "nothing reports it" } },
      damage: {
        title: "Reports which pixels of a window change",
        cannot: {
          macos: "macOS reports no painting; pictures are compared",
          cdp: "a page reports changes of its document, not of its pixels",
        },
      },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  commands: {
    title: "Commands",
    missing: {
      macos: notYetOnMac,
      windows: "not written yet",
      fake: "its apps have no menus",
      cdp: "a page has no menus of its own; use its elements",
      android: "apps expose no menus that are closed; use their elements",
    },
    behaviours: {
      menus: { title: "Lists the entries of closed menus with their path" },
      run: { title: "Runs an entry without opening its menu" },
      state: { title: "Reports an entry as it is now" },
      gone: { title: "Refuses a command that was never listed (`uid_not_found`)" },
      cancelled: { title: "Stops when cancelled" },
    },
  },
  overlay: {
    title: "Overlay",
    missing: {
      macos: notYetOnMac,
      cdp: "a page is drawn on by nobody; the overlay of its desktop lies over it",
      android: "drawing over other apps needs an app on the device",
    },
    behaviours: {
      drawn: { title: "Draws fills and pictures over the apps, to the exact pixel" },
      moved: { title: "Leaves nothing where it was" },
      layers: { title: "Draws layers on each other and removes them one by one" },
      gone: { title: "Leaves nothing behind when hidden" },
      top: {
        title: "Stays above a window that opens later",
        cannot: { windows: "under Wine a window that is activated may cover it" },
      },
      clickThrough: { title: "Lets clicks through to the app below" },
      captures: { title: "Is in no capture: screen, display, window, region" },
      fresh: { title: "Captures what the app paints below it" },
      unlisted: { title: "Is not listed as a window and takes no focus" },
      silent: {
        title: "Does not count as painting of the window below",
        cannot: { windows: "nothing reports painting" },
      },
      probe: { title: "Proves on the running machine that captures leave it out" },
      cancelled: { title: "Draws nothing when cancelled" },
    },
  },
} as const satisfies Record<Ability, AbilityExpectations>;

export type BehaviourName<A extends Ability> = keyof (typeof expectations)[A]["behaviours"] & string;

/** Widened: not every ability or behaviour has reasons. */
const all: Readonly<Record<Ability, AbilityExpectations>> = expectations;

export const abilities = Object.keys(all) as Ability[];

export function behavioursOf(ability: Ability): readonly { readonly name: string; readonly title: string }[] {
  return Object.entries(all[ability].behaviours).map(([name, { title }]) => ({ name, title }));
}

export function reasonMissing(ability: Ability, backend: BackendName): string | undefined {
  return all[ability].missing?.[backend];
}

export function reasonAgainst(ability: Ability, behaviour: string, backend: BackendName): string | undefined {
  return reasonMissing(ability, backend) ?? all[ability].behaviours[behaviour]?.cannot?.[backend];
}
