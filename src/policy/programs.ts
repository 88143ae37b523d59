/**
 * Programs that can run any command typed into them: terminals and launchers. By the name of the program or its
 * window class, in lower case. Installed ones are also recognised by their desktop entry.
 */
const commandRunners: ReadonlySet<string> = new Set([
  "alacritty",
  "aterm",
  "blackbox",
  "blackbox-terminal",
  "cmd.exe",
  "contour",
  "cool-retro-term",
  "deepin-terminal",
  "dmenu",
  "dmenu_run",
  "eterm",
  "foot",
  "fuzzel",
  "ghostty",
  "gmrun",
  "gnome-console",
  "gnome-terminal",
  "gnome-terminal-server",
  "grun",
  "guake",
  "hyper",
  "iterm2",
  "kgx",
  "kitty",
  "koi8rxterm",
  "konsole",
  "krunner",
  "lilyterm",
  "lxqt-runner",
  "lxterm",
  "lxterminal",
  "mate-terminal",
  "mlterm",
  "mrxvt",
  "powershell",
  "powershell.exe",
  "ptyxis",
  "qterminal",
  "rio",
  "rofi",
  "roxterm",
  "rxvt",
  "rxvt-unicode",
  "sakura",
  "st",
  "st-256color",
  "stterm",
  "tabby",
  "terminal",
  "terminator",
  "terminology",
  "termit",
  "tilda",
  "tilix",
  "ulauncher",
  "urxvt",
  "urxvtd",
  "uxterm",
  "warp",
  "warp-terminal",
  "wezterm",
  "wezterm-gui",
  "windowsterminal.exe",
  "wofi",
  "x-terminal-emulator",
  "xfce4-appfinder",
  "xfce4-terminal",
  "xfrun4",
  "xterm",
  "yakuake",
  "zutty",
]);

interface NamedWindow {
  readonly appName: string;
  readonly className: string;
  readonly processName: string;
}

/** Whether input to this program can run any command. */
export const runsCommands = (program: string): boolean => {
  const name = (program.split("/").at(-1) ?? "").toLowerCase();
  return commandRunners.has(name) || commandRunners.has(name.replace(/^(org|com|io|dev|net)(\.[\w-]+)+\./, ""));
};

/** The same for a window: the app may go by one name and its process by another. */
export const isCommandWindow = ({ appName, className, processName }: NamedWindow): boolean =>
  [appName, className, processName].some(runsCommands);
