import { allApps, helperKeyboard, launchable, stockKeyboard } from "../screen/apps.ts";
import { clear } from "../screen/typing.ts";
import type { App } from "../screen/app.ts";
import { input } from "./input.ts";
import { displayId } from "./look.ts";
import { lines, type Command, type Output } from "./command.ts";

const fullName = (app: App): string => (app.activity.startsWith(".") ? `${app.package}${app.activity}` : app.activity);
export const component = (app: App): string => {
  const name = fullName(app);
  return `${app.package}/${name.startsWith(`${app.package}.`) ? name.slice(app.package.length) : name}`;
};

/** The value after an option. */
const after = (args: readonly string[], option: string): string | undefined => {
  const index = args.indexOf(option);
  return index < 0 ? undefined : args[index + 1];
};

// frameworks/base/services/core/java/com/android/server/am/ActivityManagerShellCommand.java
export const am: Command = (args, device) => {
  const [name = "", ...rest] = args;
  const { phone } = device;
  if (name === "start" || name === "start-activity") return start(rest, device);
  if (name === "force-stop" || name === "kill") {
    phone.stop(rest.at(-1) ?? "");
    return {};
  }
  if (name === "broadcast") return broadcast(rest, device);
  if (name === "get-current-user") return { stdout: lines("0") };
  return { stdout: lines(`Unknown command: ${name}`), code: 255 };
};

const start: Command = (args, { phone }) => {
  const target = after(args, "-n") ?? after(args, "-p");
  const [packageName = "", activity] = (target ?? "").split("/");
  const app = allApps.find((one) => one.package === packageName);
  const wanted = activity?.startsWith(".") === true ? `${packageName}${activity}` : activity;
  const action = after(args, "-a");
  const flags = after(args, "-f");
  const intent = [
    ...(action === undefined ? [] : [`act=${action}`]),
    ...(after(args, "-c") === undefined ? [] : [`cat=[${after(args, "-c")}]`]),
    ...(flags === undefined ? [] : [`flg=${flags}`]),
    ...(target === undefined ? [] : [activity === undefined ? `pkg=${target}` : `cmp=${target}`]),
  ].join(" ");
  const starting = lines(`Starting: Intent { ${intent} }`);
  if (!app || (wanted !== undefined && wanted !== fullName(app))) {
    const error =
      target === undefined || activity === undefined
        ? `Error: Activity not started, unable to resolve Intent { ${intent} }`
        : `Error type 3\nError: Activity class {${packageName}/${wanted}} does not exist.`;
    return { stdout: starting, stderr: lines(error), code: 1 };
  }
  const isInFront = phone.front === app;
  const isRunning = phone.isRunning(app.package);
  phone.launch(app.package);
  const warning = isInFront
    ? lines("Warning: Activity not started, its current task has been brought to the front")
    : "";
  if (!args.includes("-W")) return { stdout: starting, stderr: warning };
  const state = isInFront ? "UNKNOWN (0)" : isRunning ? "HOT" : "COLD";
  const report = [
    "Status: ok",
    `LaunchState: ${state}`,
    `Activity: ${component(app)}`,
    "TotalTime: 231",
    "WaitTime: 239",
    "Complete",
  ];
  return { stdout: starting + lines(...report), stderr: warning };
};

/** The helper keyboard hears these only while it is the current one. */
const broadcast: Command = (args, { phone }) => {
  const action = after(args, "-a") ?? "";
  const message = after(args, "--es") === "msg" ? args[args.indexOf("--es") + 2] : undefined;
  if (phone.inputMethod === helperKeyboard.method) {
    if (action === "ADB_INPUT_B64") phone.type(Buffer.from(message ?? "", "base64").toString("utf8"));
    else if (action === "ADB_INPUT_TEXT") phone.type(message ?? "");
    else if (action === "ADB_CLEAR_TEXT" && phone.focused) clear(phone.focused);
  }
  const extras = message === undefined ? "" : " (has extras)";
  return {
    stdout: lines(`Broadcasting: Intent { act=${action} flg=0x400000${extras} }`, "Broadcast completed: result=0"),
  };
};

// frameworks/base/services/core/java/com/android/server/pm/PackageManagerShellCommand.java
export const pm: Command = (args, { phone }) => {
  const [name, what, ...rest] = args;
  const installed = phone.installedPackages();
  if (name === "list" && what === "packages") {
    const isThirdParty = (one: string): boolean => one.startsWith("org.example") || one === helperKeyboard.package;
    const filter = rest.find((arg, index) => !arg.startsWith("-") && rest[index - 1] !== "--user");
    const listed = installed
      .filter(
        (one) => (rest.includes("-3") ? isThirdParty(one) : true) && (rest.includes("-s") ? !isThirdParty(one) : true),
      )
      .filter((one) => filter === undefined || one.includes(filter));
    return {
      stdout: lines(...listed.map((one) => `package:${rest.includes("-f") ? `/data/app/${one}/base.apk=` : ""}${one}`)),
    };
  }
  if (name === "list" && what === "users") return { stdout: lines("Users:", "\tUserInfo{0:Owner:4c13} running") };
  if (name === "path")
    return installed.includes(what ?? "") ? { stdout: lines(`package:/data/app/${what}/base.apk`) } : { code: 1 };
  const activity = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
  if (name === "resolve-activity") {
    const app = allApps.find((one) => one.package === args.at(-1));
    return { stdout: app ? lines(activity, component(app)) : lines("No activity found") };
  }
  if (name === "query-activities") {
    if (args.includes("--components")) return { stdout: lines(...launchable.map(component)) };
    const found = launchable.flatMap((app, index) => [
      `  Activity #${index}:`,
      `    ${activity}`,
      ...(args.includes("--brief") ? [`    ${component(app)}`] : described(app)),
    ]);
    return { stdout: lines(`${launchable.length} activities found:`, ...found) };
  }
  if (name === "list" && what === "features") {
    return { stdout: lines("feature:reqGlEsVersion=0x30002", "feature:android.hardware.touchscreen") };
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

/** ActivityInfo, as a query prints it at length. */
const described = (app: App): readonly string[] => [
  "    ActivityInfo:",
  `      name=${fullName(app)}`,
  `      packageName=${app.package}`,
  "      enabled=true exported=true directBootAware=false",
];

export const monkey: Command = (args, { phone }) => {
  const name = after(args, "-p") ?? "";
  const echo = lines(...args.map((arg) => `  bash arg: ${arg}`));
  if (!launchable.some((app) => app.package === name))
    return { stdout: `${echo}${lines("** No activities found to run, monkey aborted.")}`, code: 252 };
  phone.launch(name);
  const network = "## Network stats: elapsed time=21ms (0ms mobile, 0ms wifi, 21ms not connected)";
  return { stdout: echo + lines("Events injected: 1", network) };
};

// frameworks/base/services/core/java/com/android/server/wm/WindowManagerShellCommand.java
export const wm: Command = (args, { phone }) => {
  const [name, value] = args.filter((arg, index) => arg !== "-d" && args[index - 1] !== "-d");
  const { size, density } = phone.options;
  if (name === "size") {
    if (value === "reset") phone.overrideSize = undefined;
    else if (value !== undefined) {
      const [, width, height] = /^(\d+)x(\d+)$/.exec(value) ?? [];
      if (width === undefined) return { stderr: lines(`Error: bad size ${value}`), code: 255 };
      phone.overrideSize = { width: Number(width), height: Number(height) };
    } else {
      const over = phone.overrideSize;
      const physical = `Physical size: ${size.width}x${size.height}`;
      return { stdout: lines(physical, ...(over ? [`Override size: ${over.width}x${over.height}`] : [])) };
    }
    return {};
  }
  if (name === "density") {
    if (value === "reset") phone.overrideDensity = undefined;
    else if (value !== undefined) phone.overrideDensity = Number(value);
    else {
      const over = phone.overrideDensity;
      return {
        stdout: lines(`Physical density: ${density}`, ...(over === undefined ? [] : [`Override density: ${over}`])),
      };
    }
    return {};
  }
  if (name === "dismiss-keyguard") {
    phone.isLocked = false;
    return {};
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

export const ime: Command = (args, { phone }) => {
  const [name, method = ""] = args;
  const methods = [stockKeyboard.method, ...(phone.hasHelperKeyboard ? [helperKeyboard.method] : [])];
  const enabled = (phone.settings.get("secure enabled_input_methods") ?? stockKeyboard.method).split(":");
  if (name === "list")
    return { stdout: lines(...methods.filter((one) => args.includes("-a") || enabled.includes(one))) };
  if (!methods.includes(method)) {
    const what = name === "set" ? "selected" : "enabled";
    return { stderr: lines(`Unknown input method ${method} cannot be ${what} for user #0`), code: 255 };
  }
  if (name === "enable") {
    phone.settings.set("secure enabled_input_methods", [...new Set([...enabled, method])].join(":"));
    return { stdout: lines(`Input method ${method}: now enabled for user #0`) };
  }
  if (name === "disable") {
    phone.settings.set("secure enabled_input_methods", enabled.filter((one) => one !== method).join(":"));
    return { stdout: lines(`Input method ${method}: now disabled for user #0`) };
  }
  if (name === "set") {
    if (!enabled.includes(method))
      return { stderr: lines(`Unknown input method ${method} cannot be selected for user #0`), code: 255 };
    phone.inputMethod = method;
    phone.isKeyboardShown = phone.focused !== undefined && method === stockKeyboard.method;
    return { stdout: lines(`Input method ${method} selected for user #0`) };
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

export const settings: Command = (args, { phone }): Output => {
  const [verb, space = "", key = "", value = ""] = args.filter(
    (arg, index) => arg !== "--user" && args[index - 1] !== "--user",
  );
  const name = `${space} ${key}`;
  if (name === "secure default_input_method" && verb === "get") return { stdout: lines(phone.inputMethod) };
  if (verb === "get") return { stdout: lines(phone.settings.get(name) ?? defaults[name] ?? "null") };
  if (verb === "put") phone.settings.set(name, value);
  else if (verb === "delete") return { stdout: lines(`Deleted ${phone.settings.delete(name) ? 1 : 0} rows`) };
  else if (verb !== "list") return { stderr: lines(`Invalid command: ${verb ?? ""}`), code: 255 };
  return {};
};

const defaults: Readonly<Record<string, string>> = {
  "global window_animation_scale": "1.0",
  "global transition_animation_scale": "1.0",
  "global animator_duration_scale": "1.0",
  "secure enabled_input_methods": stockKeyboard.method,
};

// frameworks/native/cmds/cmd/cmd.cpp
export const cmd: Command = (args, device) => {
  const [service = "", ...rest] = args;
  const commands: Readonly<Record<string, Command>> = {
    package: pm,
    activity: am,
    input,
    window: wm,
    input_method: ime,
    settings,
  };
  const command = commands[service];
  if (command) return command(rest, device);
  if (service === "clipboard") return { stdout: lines("No shell command implementation."), code: 255 };
  if (service === "display" && rest[0] === "get-displays") {
    const { width, height } = device.phone.size;
    const state = device.phone.isAwake ? "ON" : "OFF";
    const info = `displayId 0, displayGroupId 0, FLAG_SECURE, real ${width} x ${height}, state ${state}, type INTERNAL, uniqueId "local:${displayId}"`;
    return { stdout: lines("Displays:", `Display id 0: DisplayInfo{"Built-in Screen", ${info}}, isValid=true`) };
  }
  return { stderr: lines(`cmd: Can't find service: ${service}`), code: 20 };
};
