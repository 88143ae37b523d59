import { basename, win32 } from "node:path";

const shells = "ash bash csh dash elvish fish ksh mksh nu pwsh rbash sh tcsh xonsh zsh";

/** Run a command later, elsewhere, as somebody else, under watch. */
const wrappers =
  "at batch busybox bwrap choom chpst chroot chrt cpulimit daemon daemonize dbus-launch dbus-run-session detach doas " +
  "eatmydata env fakeroot faketime find firejail flock gamemoderun gdb ionice ltrace nice nohup nsenter numactl parallel " +
  "perf pkexec prlimit proot proxychains run-parts runuser screen script setarch setpriv setsid ssh sshpass " +
  "start-stop-daemon stdbuf strace su sudo systemctl systemd-inhibit systemd-run taskset time timeout tmux torsocks " +
  "toybox unbuffer unshare valgrind watch xargs xvfb-run";

/** Open whatever the desktop has for it. */
const openers =
  "dex distrobox exo-open flatpak gapplication gio gnome-open gtk-launch gtk4-launch gvfs-open kde-open kioclient kstart " +
  "mimeopen open run-mailcap sensible-browser sensible-editor snap toolbox xdg-open";

const interpreters =
  "awk bun deno expect gawk gjs guile java julia lua luajit make mawk mono node nodejs npx ocaml osascript perl php pypy " +
  "python r rscript ruby sbcl tclsh wine wish";

/** Of Windows: shells, hosts of scripts and libraries, and whatever else starts a program for somebody. */
const ofWindows =
  "bitsadmin certutil cmd conhost control cscript explorer forfiles hh installutil mmc msbuild mshta msiexec odbcconf pcalua " +
  "powershell powershell_ise psexec regasm regsvcs regsvr32 rundll32 runas schtasks scriptrunner start winget winrs wmic wscript " +
  "wsl wt";

const launchers: ReadonlySet<string> = new Set(
  [shells, wrappers, openers, interpreters, ofWindows].join(" ").split(" "),
);

/**
 * Whether the program starts what its arguments name, or runs what they say, by the name of its file. A version at the end
 * does not count: `python3.11`.
 */
export function isLauncher(program: string): boolean {
  const name = basename(win32.basename(program))
    .toLowerCase()
    .replace(/\.(exe|com|bat|cmd|ps1|vbs|js|wsf|hta|lnk|scr)$/, "");
  if (/^ld(-[\w-]+)?\.so(\.\d+)*$/.test(name)) return true;
  return launchers.has(name) || launchers.has(name.replace(/-?\d+(\.\d+)*$/, ""));
}
