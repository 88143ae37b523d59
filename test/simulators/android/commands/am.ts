import { allApps, clipboardHelper, helperKeyboard } from "../screen/apps.ts";
import { clear } from "../screen/typing.ts";
import { after, component, fullName } from "./arguments.ts";
import { lines, type Command } from "./command.ts";

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
  const user = Number(after(args, "--user") ?? 0);
  const isInstalled = phone.packagesOf(user).includes(packageName);
  const app = isInstalled ? allApps.find((one) => one.package === packageName) : undefined;
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
  const isInFront = phone.front === app && phone.frontUser === user;
  const isRunning = phone.isRunning(app.package);
  phone.launch(app.package, user);
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

/** The helper keyboard receives these only while it is the current one. */
const broadcast: Command = (args, { phone }) => {
  const action = after(args, "-a") ?? "";
  const message = after(args, "--es") === "msg" ? args[args.indexOf("--es") + 2] : undefined;
  if (phone.inputMethod === helperKeyboard.method) {
    if (action === "ADB_INPUT_B64") phone.type(Buffer.from(message ?? "", "base64").toString("utf8"));
    else if (action === "ADB_INPUT_TEXT") phone.type(message ?? "");
    else if (action === "ADB_CLEAR_TEXT" && phone.focused) clear(phone.focused);
  }
  const isForHelper = after(args, "-n") === `${clipboardHelper}/.ClipboardBroadcastReceiver`;
  if (phone.hasClipboardHelper && isForHelper) {
    const values = args.flatMap((arg, index) => (arg === "-e" ? [[args[index + 1] ?? "", args[index + 2] ?? ""]] : []));
    const { encoding, text = "" } = Object.fromEntries(values) as { encoding?: string; text?: string };
    if (action === "devicekit.clipboard.set") {
      phone.clipboard = encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
    } else if (action === "devicekit.clipboard.clear") phone.clipboard = "";
  }
  const extras = message === undefined ? "" : " (has extras)";
  return {
    stdout: lines(`Broadcasting: Intent { act=${action} flg=0x400000${extras} }`, "Broadcast completed: result=0"),
  };
};
