import { z } from "zod";
import { poll } from "../../base/async.ts";
import { shownApp } from "../../surface/guard/apps.ts";
import { actionDone } from "../action.ts";
import {
  deviceResult,
  display,
  needDevice,
  needDevices,
  screenTrouble,
  serial,
  serialText,
  troubleOf,
} from "./schema.ts";
import { defineTool } from "../tool.ts";

export const androidListDevices = defineTool({
  name: "android_list_devices",
  title: "List Android devices",
  summary: "Phones, tablets and emulators that adb sees, with their state; only those in state device can be used.",
  set: "android",
  access: "observe",
  needs: [],
  isTrusted: true,
  input: z.strictObject({}),
  output: z.object({
    devices: z.array(
      z.object({ serial: z.string(), state: z.string(), model: z.string().optional(), connected: z.boolean() }),
    ),
  }),
  positional: [],
  async run(_input, context) {
    const devices = await (await needDevices(context)).list({ signal: context.signal });
    return {
      data: {
        devices: devices.map(({ serial: own, state, model, isConnected }) => ({
          serial: own,
          state,
          ...(model === undefined ? {} : { model }),
          connected: isConnected,
        })),
      },
    };
  },
});

export const androidConnect = defineTool({
  name: "android_connect",
  title: "Connect to an Android device",
  summary:
    "Use a device from now on, by its serial or host:port. General tools (click, find_elements, wait_for, …) work on it with the " +
    "surface this returns.",
  set: "android",
  access: "manage",
  idempotent: true,
  needs: [],
  input: z.strictObject({
    serial: serialText.optional().describe("From android_list_devices, or host:port; optional if there is only one"),
  }),
  output: z.object({
    message: z.string(),
    device: z.string(),
    surface: z.string(),
    model: z.string(),
    android: z.string(),
    width: z.number(),
    height: z.number(),
    density: z.number(),
    warning: z.string().optional(),
  }),
  positional: ["serial"],
  async run(input, context) {
    const { signal } = context;
    const device = await (await needDevices(context)).connect(input.serial, { signal });
    const [{ width, height, density }, warning] = await Promise.all([
      device.display({ signal }),
      screenTrouble(device, { signal }),
    ]);
    const { model, android } = device.facts;
    return {
      data: {
        message: `Connected to ${device.serial}${model === "" ? "" : ` (${model}, Android ${android})`}.`,
        device: device.serial,
        surface: device.id,
        model,
        android,
        width,
        height,
        density,
        ...(warning === undefined ? {} : { warning }),
      },
    };
  },
});

export const androidDisconnect = defineTool({
  name: "android_disconnect",
  title: "Disconnect from the Android device",
  summary: "Disconnect from one device, or from all by default. Its tools then return not_connected.",
  set: "android",
  access: "observe",
  needs: [],
  isTrusted: true,
  input: z.strictObject({ serial: serialText.optional().describe("Default: all") }),
  output: z.object({ message: z.string(), disconnected: z.number() }),
  positional: ["serial"],
  async run(input, context) {
    const count = await (await needDevices(context)).disconnect(input.serial);
    return { data: { message: count === 0 ? "No device was connected." : "Disconnected.", disconnected: count } };
  },
});

export const androidGetDisplayInfo = defineTool({
  name: "android_get_display_info",
  title: "Get the device's display",
  summary:
    "Width, height and density of the display in its current orientation; all Android tools use its pixels as coordinates.",
  set: "android",
  access: "observe",
  needs: [],
  isTrusted: true,
  input: z.strictObject({ display, serial }),
  output: z.object({
    width: z.number(),
    height: z.number(),
    density: z.number(),
    rotation: z.number().describe("Degrees from its natural position"),
    displays: z.number(),
    device: z.string(),
  }),
  positional: [],
  async run(input, context) {
    const { device } = await needDevice(context, input.serial);
    const { signal } = context;
    const { width, height, density, rotation, displays } = await device.display({ display: input.display, signal });
    return { data: { width, height, density, rotation: rotation * 90, displays, device: device.serial } };
  },
});

export const androidGetCurrentActivity = defineTool({
  name: "android_get_current_activity",
  title: "Get the current activity",
  summary: "The app and activity in front, and whether the screen is on and unlocked.",
  set: "android",
  access: "observe",
  needs: [],
  input: z.strictObject({ serial }),
  output: z.object({
    package: z.string(),
    activity: z.string().nullable().describe("Or the window over it: NotificationShade, PopupWindow, …"),
    work_profile: z.boolean().optional().describe("It belongs to a work profile or a second user"),
    user: z.number().optional().describe("Which, for android_launch_app"),
    screen_on: z.boolean(),
    locked: z.boolean(),
    device: z.string(),
    warning: z.string().optional(),
  }),
  positional: [],
  async run(input, context) {
    const { device } = await needDevice(context, input.serial);
    const { signal } = context;
    const [app, state] = await Promise.all([device.foreground({ signal }), device.screenState({ signal })]);
    const front = app && shownApp(app, context.session.gate.rules);
    const { isOn, isLocked } = state;
    const warning = troubleOf(state);
    return {
      data: {
        package: front?.package ?? "",
        activity: front?.activity ?? null,
        ...(front && front.user > 0 ? { work_profile: true, user: front.user } : {}),
        screen_on: isOn,
        locked: isLocked,
        device: device.serial,
        ...(warning === undefined ? {} : { warning }),
      },
    };
  },
});

const user = z
  .int()
  .min(0)
  .max(99_999)
  .optional()
  .describe("A work profile or another user by number (users in android_list_apps)");

export const androidListApps = defineTool({
  name: "android_list_apps",
  title: "List apps on the device",
  summary:
    "Packages that android_launch_app can start, or all. Android's shell does not give their labels: filter by part of the package name.",
  set: "android",
  access: "observe",
  needs: [],
  input: z.strictObject({
    filter: z.string().max(200).optional().describe("Part of the package name, any case"),
    all: z.boolean().default(false).describe("Also those without an icon"),
    user,
    serial,
  }),
  output: z.object({
    apps: z.array(z.object({ package: z.string() })),
    total: z.number(),
    users: z
      .array(z.object({ id: z.number(), name: z.string() }))
      .optional()
      .describe("If there are several; work profiles count too"),
    device: z.string(),
  }),
  positional: ["filter"],
  async run({ filter = "", all, user: whose, serial: wanted }, context) {
    const { device } = await needDevice(context, wanted);
    const { signal } = context;
    const [names, users] = await Promise.all([device.apps({ all, user: whose, signal }), device.users({ signal })]);
    const fitting = names.filter((name) => name.toLowerCase().includes(filter.toLowerCase()));
    return {
      data: {
        apps: fitting.slice(0, mostApps).map((name) => ({ package: name })),
        total: fitting.length,
        ...(users.length > 1 ? { users: [...users] } : {}),
        device: device.serial,
      },
    };
  },
});

const mostApps = 500;
// A cold start of a large app takes some seconds; by then Android reports at least that it has begun.
const frontMs = 5_000;

export const androidLaunchApp = defineTool({
  name: "android_launch_app",
  title: "Launch an app on the device",
  summary: "Start an app by its package name, as its icon does; a running app comes to the front.",
  set: "android",
  access: "manage",
  idempotent: true,
  needs: [],
  packages: ["package"],
  input: z.strictObject({
    package: z
      .string()
      .max(255)
      .regex(
        /^[A-Za-z]\w*(\.[A-Za-z_]\w*)*$/,
        "must be a package name such as com.android.settings (android_list_apps)",
      )
      .describe("E.g. com.android.settings"),
    user,
    serial,
  }),
  output: deviceResult.extend({ activity: z.string() }),
  positional: ["package"],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal } = context;
    const activity = await device.launch(input.package, { user: input.user, signal });
    const isFront = async () => {
      const front = await device.foreground({ signal });
      return front?.package === input.package && front.user === (input.user ?? front.user) ? true : undefined;
    };
    // While the device is locked or its screen is off, the app in front cannot be seen.
    const [front, warning] = await Promise.all([
      poll(isFront, { timeoutMs: frontMs, everyMs: 50, signal }),
      screenTrouble(device, { signal }),
    ]);
    const seen = front === true && warning === undefined;
    return {
      data: {
        ...actionDone({ surface, context, via: "am start", method: "adb", seen, warning }),
        message: seen ? `${input.package} is in front.` : `${input.package} was started, but is not in front.`,
        device: device.serial,
        activity,
      },
    };
  },
});
