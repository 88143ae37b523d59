import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "../../../src/base/errors.ts";

/** Folders, programs and listeners that the attacks use. */
export interface LaunchStage {
  readonly folder: string;
  /** Written by every command that is run although it should not be. */
  readonly marker: string;
  /** Answers as a browser would, and counts who asks. */
  readonly listener: number;
  /** Answers as a browser would, and names a socket on another host. */
  readonly liar: number;
  /** The process of a terminal that runs already, with a window class of its own. */
  readonly terminal: number;
}

/** A call that must be refused, under the rules of this name. */
export interface Row {
  readonly rules: keyof typeof ruleFiles;
  readonly tool: string;
  readonly args: Record<string, unknown> | ((stage: LaunchStage) => Record<string, unknown>);
  /** The code of the refusal; `denied` where nothing is said. */
  readonly code?: ErrorCode;
  /** Part of the message: that it is refused for the right reason. */
  readonly says?: RegExp;
}

const ofRule = /rule \d of the rule file/;
export const blockedHost = "blocked.test";

/** Each in mode allow, so that nothing else stops the call, but those that need somebody to ask, who is not there. */
export const ruleFiles = {
  noXterm: { rules: [{ app: "xterm", verdict: "deny" }] },
  noBrowsers: {
    rules: [
      { app: "chromium", verdict: "deny" },
      { app: "firefox-esr", verdict: "deny" },
    ],
  },
  byTitle: {
    rules: [
      { app: "Chromium Web Browser", verdict: "deny" },
      { window: "Payroll*", verdict: "deny" },
    ],
  },
  noCode: {
    rules: [
      { tool: "launch_app", verdict: "deny" },
      { access: "execute", verdict: "deny" },
    ],
  },
  some: {
    mode: "ask",
    enabled: true,
    rules: [
      { app: "mousepad", verdict: "allow" },
      { app: "*pad", verdict: "allow" },
      { app: "My Editor", verdict: "allow" },
      { app: "env", verdict: "allow" },
      { app: "/usr/bin/m*", verdict: "allow" },
    ],
  },
  free: {},
  noHosts: { urls: { block: ["169.254.169.254", `*.${blockedHost}`, "127.0.0.1:9"] } },
  fewHosts: { urls: { allow: ["https://example.com"] } },
  noLocal: { urls: { block: ["127.0.0.1"] } },
} as const;

/** Everything the attacks find in their folder, and in the menu of a person who has been careless. */
export function prepare(folder: string, applications: string): void {
  mkdirSync(applications, { recursive: true });
  const entry = (id: string, name: string, exec: string) =>
    writeFileSync(
      join(applications, `${id}.desktop`),
      `[Desktop Entry]\nType=Application\nName=${name}\nExec=${exec}\n`,
    );
  entry("my-notes", "My Notes", "env LANG=C xterm");
  entry("my-shell", "My Shell", 'sh -c "exec xterm"');
  entry("my-editor", "My Editor", "sh -c true");
  symlinkSync("/usr/bin/xterm", join(folder, "notes"));
  symlinkSync("notes", join(folder, "notes2"));
  symlinkSync("/usr/bin", join(folder, "bin"));
  symlinkSync("/usr/bin/env", join(folder, "tool"));
  symlinkSync("/bin/sh", join(folder, "mousepad"));
  symlinkSync("/bin/sh", join(folder, "notepad"));
  symlinkSync("/bin/sh", join(folder, "chromium"));
}

const launch = (app_name: string, ...args: readonly string[]): Row => ({
  rules: "noXterm",
  tool: "launch_app",
  args: { app_name, args: [...args], timeout_ms: 0 },
  says: ofRule,
});
const launchIn = (of: (stage: LaunchStage) => readonly [string, ...(readonly string[])]): Row => ({
  ...launch(""),
  args(stage) {
    const [app_name, ...args] = of(stage);
    return { app_name, args, timeout_ms: 0 };
  },
});
const debug = (command: string, ...args: readonly string[]): Row => ({
  ...launch(""),
  tool: "debug_launch",
  args: { command, args: [...args], timeoutMs: 0 },
});
const browse = (executable: string): Row => ({
  ...launch(""),
  tool: "cdp_launch",
  args: { executable, headless: true, timeout: 1_000 },
});

/** A rule against xterm, and every other way to start it or to reach one that runs. */
export const appAttacks: readonly Row[] = [
  launch("xterm"),
  launch("/usr/bin/xterm"),
  launch("/usr/bin/../bin/xterm"),
  launch("//usr//bin/./xterm"),
  launch("/proc/self/root/usr/bin/xterm"),
  launchIn(({ folder }) => [join(folder, "notes")]),
  launchIn(({ folder }) => [join(folder, "notes2")]),
  launchIn(({ folder }) => [join(folder, "bin", "xterm")]),
  launch("debian-xterm"),
  launch("debian-xterm.desktop"),
  launch("my-notes"),
  launch("My Notes"),
  launch("My Shell"),
  launch("env", "xterm"),
  launch("env", "-i", "DISPLAY=:0", "/usr/bin/xterm"),
  launch("env", "-Sxterm -e true"),
  launch("nohup", "xterm"),
  launch("setsid", "-f", "xterm"),
  launch("timeout", "5", "xterm"),
  launch("nice", "-n", "5", "xterm"),
  launch("sh", "-c", "exec xterm"),
  launch("sh", "-c", 'x"te"rm'),
  launch("sh", "-c", "x\\term&"),
  launch("bash", "-c", "true;/usr/bin/xterm -e true|cat"),
  launch("bash", "-c", "$(xterm)"),
  launch("python3", "-c", "import os; os.system('xterm')"),
  launch("perl", "-e", 'exec "xterm"'),
  launch("awk", 'BEGIN{system("xterm")}'),
  launch("find", "/usr/bin/xterm", "-exec", "{}", ";"),
  launch("xargs", "--arg-file=/dev/null", "xterm"),
  launch("systemd-run", "--user", "xterm"),
  launch("dbus-launch", "--exit-with-session", "xterm"),
  launch("gtk-launch", "debian-xterm"),
  launch("gtk-launch", "my-notes"),
  launch("gio", "launch", "/usr/share/applications/debian-xterm.desktop"),
  launch("xdg-open", "/usr/share/applications/debian-xterm.desktop"),
  launch("flatpak", "run", "xterm"),
  launch("ssh", "-oProxyCommand=xterm", "localhost"),
  launch("/lib64/ld-linux-x86-64.so.2", "/usr/bin/xterm"),
  launch("vim", "-c", "!xterm"),
  launchIn(({ folder }) => ["env", join(folder, "notes")]),
  launchIn(({ folder }) => [join(folder, "tool"), "/usr/bin/xterm"]),
  launchIn(({ folder }) => [join(folder, "tool"), join(folder, "notes")]),
  {
    ...launch("env", ...Array.from({ length: 99 }, (_, at) => `a${at} b${at} c${at} d${at}`), "xterm"),
    says: /words|rule/,
  },
  debug("xterm"),
  debug("/usr/bin/xterm"),
  debug("env", "xterm"),
  debug("debian-xterm"),
  browse("xterm"),
  browse("/usr/bin/xterm"),
  browse("../bin/xterm"),
  { ...launch(""), tool: "quit_app", args: ({ terminal: pid }) => ({ pid }) },
  { ...launch(""), tool: "quit_app", args: { app_name: "/anywhere/xterm", force: true } },
  { ...launch(""), tool: "quit_app", args: { app_name: "Diary" } },
  { ...launch(""), tool: "type_text", args: ({ terminal: pid }) => ({ pid, text: "id" }) },
  { ...launch(""), tool: "focus_window", args: { app_name: "Diary" } },
  { ...launch(""), rules: "noBrowsers", tool: "cdp_launch", args: { headless: true } },
  { ...launch("Chromium Web Browser"), rules: "noBrowsers" },
  { ...launch("x-www-browser"), rules: "noBrowsers" },
  { ...launch("Firefox"), rules: "noBrowsers" },
  { ...launch("chromium"), rules: "byTitle" },
  { ...launch("xterm"), rules: "byTitle" },
];

const needsAPerson = /needs permission/;
const wide = (row: Row): Row => ({ ...row, rules: "some", says: needsAPerson });

/** Rules that allow some programs, and others that take their names. */
export const allowAttacks: readonly Row[] = [
  wide(launchIn(({ folder }) => [join(folder, "mousepad"), "-c", "true"])),
  wide(launchIn(({ folder }) => [join(folder, "notepad"), "-c", "true"])),
  wide(launch("My Editor")),
  wide(launch("env", "mousepad")),
  wide(launch("env", "true")),
  wide(launch("sh", "-c", "mousepad")),
  wide(launch("/usr/bin/m/../../../bin/true")),
  wide(launch("mousepad", "--display=:0", "xterm")),
  wide(launchIn(({ folder }) => [join(folder, "bin", "..", "bin", "true")])),
  wide(debug("env", "mousepad")),
];

const start = (...args: readonly string[]): Row => ({
  rules: "noCode",
  tool: "cdp_launch",
  args: { headless: true, args: [...args], timeout: 20_000 },
});
const startIn = (switchOf: (stage: LaunchStage) => string): Row => ({
  ...start(),
  args: (stage) => ({ headless: true, args: [switchOf(stage)], timeout: 20_000 }),
});
const own = (...args: readonly string[]): Row => ({
  ...start(...args),
  rules: "free",
  says: /set by handsight itself/,
});

/** Nobody may start apps or run code; a browser is all there is. */
export const switchAttacks: readonly Row[] = [
  ...[
    "renderer-cmd-prefix",
    "utility-cmd-prefix",
    "gpu-launcher",
    "ppapi-plugin-launcher",
    "browser-subprocess-path",
  ].map((name) => startIn(({ marker }) => `--${name}=touch ${marker}`)),
  startIn(({ marker }) => `-renderer-cmd-prefix=touch ${marker}`),
  startIn(({ marker }) => `\t--renderer-cmd-prefix=touch ${marker}`),
  startIn(({ marker }) => `--window-size=1,1\n--renderer-cmd-prefix=touch ${marker}`),
  start("--disable-web-security"),
  start("--host-resolver-rules=MAP * 127.0.0.1"),
  start("--host-rules=MAP * 127.0.0.1"),
  start("--proxy-server=127.0.0.1:9"),
  start("--proxy-pac-url=http://127.0.0.1:9/x.pac"),
  start("--ignore-certificate-errors"),
  start("--ignore-certificate-errors-spki-list=x"),
  start("--disable-site-isolation-trials"),
  startIn(({ folder }) => `--load-extension=${folder}`),
  startIn(({ folder }) => `--disable-extensions-except=${folder}`),
  start("--no-sandbox"),
  start("--disable-setuid-sandbox"),
  start("--allow-file-access-from-files"),
  startIn(({ folder }) => `--log-file=${folder}/log`),
  start("--enable-logging=stderr"),
  startIn(({ folder }) => `--crash-dumps-dir=${folder}`),
  startIn(({ folder }) => `--disk-cache-dir=${folder}`),
  start("--lang=../../x"),
  start("--window-size=1,1,--no-sandbox"),
  start("--"),
  { ...start(), args: ({ folder }) => ({ executable: join(folder, "chromium"), headless: true, timeout: 1_000 }) },
  { ...start(), args: { executable: "mousepad", timeout: 1_000 } },
  { ...start(), args: { executable: "../bin/sh", timeout: 1_000 } },
  own("--remote-debugging-address=0.0.0.0"),
  own("--remote-debugging-port=9222"),
  own("--remote-debugging-pipe"),
  own("--remote-allow-origins=*"),
  own("-remote-allow-origins=*"),
  own(" --remote-allow-origins=*"),
  own("--Remote-Debugging-Address=0.0.0.0"),
  { ...own(), args: ({ folder }) => ({ headless: true, args: [`--user-data-dir=${folder}/profile`] }) },
  ...[
    "--app=fi\tle:///etc/passwd",
    "--app=\u0001file:///etc/passwd",
    "--app=java\nscript:1",
    "fi\tle:///etc/passwd",
  ].map((argument): Row => ({ ...start(argument), rules: "free", says: /urls\.allow/ })),
  { ...start("--app=http://x.blocked.test/"), rules: "noHosts", says: /urls\.block/ },
  {
    rules: "noHosts",
    tool: "launch_app",
    args: { app_name: "chromium", args: ["https://x.blocked.test/"], timeout_ms: 0 },
    says: /urls\.block/,
  },
];

const connect = (host: string, more: Partial<Row> = {}): Row => ({
  rules: "noHosts",
  tool: "cdp_connect",
  args: ({ listener: port }) => ({ host, port }),
  ...more,
});
const noHost = (host: string): Row => connect(host, { rules: "free", code: "invalid_argument", says: /is no host/ });

/** Hosts that are more than a host, and other spellings of those the rules block. None of them is sent anything. */
export const hostAttacks: readonly Row[] = [
  ...[
    "127.0.0.1/latest/meta-data?x=",
    "127.0.0.1?x=",
    "127.0.0.1#",
    "user@127.0.0.1",
    "user:pw@127.0.0.1",
    "http://127.0.0.1",
    "127.0.0.1:80",
    "127.0.0.1\\x",
    "127.0.0.1\t",
    "127.0.0.1\r\nX: 1",
    "127.0.0.1%2flatest",
    "[::1]/x?",
    "[::1",
    "::1%lo",
    "0.0.0.0",
    "0",
    "::",
    "[::ffff:0.0.0.0]",
    "..",
    "127.0.0.1／x",
  ].map(noHost),
  ...["169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "169.254.43518", "169.254.169.254."].map(
    (host) => connect(host),
  ),
  ...["[::ffff:169.254.169.254]", "::ffff:a9fe:a9fe", "１６９.254.169.254"].map((host) => connect(host)),
  ...["blocked.test", "X.BLOCKED.test", "x.blocked.test.", "x。blocked.test", "ｘ.blocked.test"].map((host) =>
    connect(host),
  ),
  ...["localhost", "127.0.0.1", "127.1", "0x7f.1", "2130706433", "::1", "[::ffff:127.0.0.1]", "LOCALHOST."].map(
    (host) => connect(host, { rules: "noLocal" }),
  ),
  ...["10.0.0.1", "example.com.evil.test", "example.org"].map((host) =>
    connect(host, { rules: "fewHosts", says: /urls\.allow/ }),
  ),
  connect("127.0.0.1", {
    rules: "free",
    args: ({ liar: port }) => ({ port }),
    code: "not_connected",
    says: /socket on another host, "evil\.test"/,
  }),
  {
    rules: "noLocal",
    tool: "cdp_navigate",
    args: ({ listener }) => ({ url: `http://127.0.0.1:${listener}/json/list` }),
    says: /urls\.block/,
  },
];
