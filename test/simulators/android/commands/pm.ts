import type { App } from "../screen/app.ts";
import { allApps, helperKeyboard, launchable } from "../screen/apps.ts";
import { after, component, fullName } from "./arguments.ts";
import { workProfile } from "../screen/phone.ts";
import { lines, type Command } from "./command.ts";

// frameworks/base/services/core/java/com/android/server/pm/PackageManagerShellCommand.java
export const pm: Command = (args, { phone }) => {
  const [name, what, ...rest] = args;
  const user = Number(after(args, "--user") ?? 0);
  const installed = phone.packagesOf(user);
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
  if (name === "list" && what === "users") {
    const profile = phone.workPackages.length > 0 ? [`\tUserInfo{${workProfile}:Work profile:1030} running`] : [];
    return { stdout: lines("Users:", "\tUserInfo{0:Owner:4c13} running", ...profile) };
  }
  if (name === "path")
    return installed.includes(what ?? "") ? { stdout: lines(`package:/data/app/${what}/base.apk`) } : { code: 1 };
  const activity = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
  if (name === "resolve-activity") {
    const app = allApps.find((one) => one.package === args.at(-1) && installed.includes(one.package));
    const isAsked = app && phone.withTwoIcons.includes(app.package);
    const found = isAsked ? "android/com.android.internal.app.ResolverActivity" : app && component(app);
    return { stdout: found === undefined ? lines("No activity found") : lines(activity, found) };
  }
  if (name === "query-activities") {
    const shown = launchable.filter((app) => installed.includes(app.package));
    if (args.includes("--components")) return { stdout: lines(...shown.map(component)) };
    const found = shown.flatMap((app, index) => [
      `  Activity #${index}:`,
      `    ${activity}`,
      ...(args.includes("--brief") ? [`    ${component(app)}`] : described(app)),
    ]);
    return { stdout: lines(`${shown.length} activities found:`, ...found) };
  }
  if (name === "list" && what === "features") {
    return { stdout: lines("feature:reqGlEsVersion=0x30002", "feature:android.hardware.touchscreen") };
  }
  return { stdout: lines(`Unknown command: ${name ?? ""}`), code: 255 };
};

/** ActivityInfo, as a full query prints it. */
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
