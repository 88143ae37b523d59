import { allApps } from "../screen/apps.ts";
import { component } from "./arguments.ts";
import type { Phone } from "../screen/phone.ts";
import { lines, type Command, type Device, type Panel } from "./command.ts";
import { surfaceFlinger } from "./look.ts";

type Service = (args: readonly string[], device: Device) => string;

export const dumpsys: Command = (args, device) => {
  const [name, ...rest] = args;
  if (name === "-l")
    return { stdout: lines("Currently running services:", ...Object.keys(services).map((one) => `  ${one}`)) };
  const service = services[name ?? ""];
  return service ? { stdout: service(rest, device) } : { stderr: lines(`Can't find service: ${name ?? ""}`) };
};

const services: Readonly<Record<string, Service>> = {
  activity(args, { phone }) {
    const record = `ActivityRecord{4f2a91c u${phone.frontUser} ${component(phone.front)} t12}`;
    if (args[0] === "top")
      return lines("TASK 10012:com.example id=12 userId=0", `  ACTIVITY ${component(phone.front)} 4f2a91c pid=4242`);
    return lines(
      "ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)",
      "Display #0 (activities from top to bottom):",
      `  * Task{8d1c2f3 #12 type=standard A=10012:${phone.front.package} U=0 visible=true}`,
      `    topResumedActivity=${record}`,
      `    * Hist  #0: ${record}`,
      `      packageName=${phone.front.package} processName=${phone.front.package}`,
      ...(phone.isAwake ? [`  ResumedActivity: ${record}`] : []),
      `  isSleeping=${!phone.isAwake}`,
      "KeyguardController:",
      `  mKeyguardShowing=${phone.isLocked}`,
      `  topResumedActivity=${record}`,
    );
  },
  window([part], { phone, panels }) {
    const displays = lines(
      "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)",
      ...panels.flatMap(({ phone: shown }, id) => displayContents(shown, id)),
    );
    if (part === "displays") return displays;
    const focus = focusOf(phone);
    return displays.concat(
      lines(
        "WINDOW MANAGER POLICY STATE (dumpsys window policy)",
        `    mAwake=${phone.isAwake} mScreenOnEarly=${phone.isAwake} mScreenOnFully=${phone.isAwake}`,
        "    KeyguardServiceDelegate",
        `      showing=${phone.isLocked}`,
        `      inputRestricted=${phone.isLocked}`,
        `    isKeyguardShowing=${phone.isLocked}`,
        `  mShowingDream=false mDreamingLockscreen=${phone.isLocked}`,
        ...(phone.isSecure || phone.front.isSecure === true
          ? [
              `  Window #4 ${focus}:`,
              "    mAttrs={(0,0)(fillxfill) sim={adjust=pan} ty=BASE_APPLICATION fl=SECURE LAYOUT_IN_SCREEN}",
            ]
          : []),
      ),
    );
  },
  power: (_, { phone }) =>
    lines(
      "POWER MANAGER (dumpsys power)",
      "",
      "Power Manager State:",
      `  mWakefulness=${phone.isAwake ? "Awake" : "Asleep"}`,
      "  mWakefulnessChanging=false",
      "  mIsPowered=true",
      `Display Power: state=${phone.isAwake ? "ON" : "OFF"}`,
    ),
  display(_, { phone, panels }) {
    const { width, height } = phone.size;
    return lines(
      "DISPLAY MANAGER (dumpsys display)",
      "  mOnlyCore=false",
      `  mViewports=[${panels.map(viewport).join(", ")}]`,
      "Logical Displays: size=1",
      "  Display 0:",
      "    mDisplayId=0",
      `    mCurrentOrientation=${phone.rotation}`,
      `    mScreenState=${phone.isAwake ? "ON" : "OFF"}`,
      `    mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, real ${width} x ${height}, density ${phone.density}, rotation ${phone.rotation}, state ${phone.isAwake ? "ON" : "OFF"}}`,
    );
  },
  input(_, { phone, panels: [{ physical: displayId } = { physical: "" }] }) {
    const { width, height } = phone.size;
    return lines(
      "INPUT MANAGER (dumpsys input)",
      `      Viewport INTERNAL: displayId=0, uniqueId=local:${displayId}, port=0, orientation=${phone.rotation}, logicalFrame=[0, 0, ${width}, ${height}], physicalFrame=[0, 0, ${width}, ${height}], deviceSize=[${width}, ${height}], isActive=[1]`,
      `      SurfaceWidth: ${width}px`,
      `      SurfaceHeight: ${height}px`,
      `      SurfaceOrientation: ${phone.rotation}`,
    );
  },
  input_method: (_, { phone }) =>
    lines(
      "Current Input Method Manager state:",
      `  mCurMethodId=${phone.inputMethod}`,
      `  mCurId=${phone.inputMethod} mHaveConnection=true mBoundToMethod=true mVisibleBound=${phone.isKeyboardShown}`,
      `  mShowRequested=${phone.isKeyboardShown} mShowExplicitlyRequested=false mShowForced=false mInputShown=${phone.isKeyboardShown}`,
    ),
  package(args) {
    const app = allApps.find((one) => one.package === args[0]);
    if (!app) return lines(`Unable to find package: ${args[0] ?? ""}`);
    return lines(
      "Activity Resolver Table:",
      "  Non-Data Actions:",
      "      android.intent.action.MAIN:",
      `        9b1c2d3 ${component(app)} filter 4e5f6a7`,
      '          Action: "android.intent.action.MAIN"',
      '          Category: "android.intent.category.LAUNCHER"',
      "Packages:",
      `  Package [${app.package}] (1a2b3c4):`,
      "    versionCode=34 minSdk=24 targetSdk=34",
      "    versionName=1.0",
    );
  },
  battery: () => lines("Current Battery Service state:", "  USB powered: true", "  level: 100"),
  SurfaceFlinger: surfaceFlinger,
};

function focusOf(phone: Phone): string {
  const app = component(phone.front).replace("/.", `/${phone.front.package}.`);
  return phone.isLocked ? "Window{1f00d2e u0 NotificationShade}" : `Window{7c3b5d1 u${phone.frontUser} ${app}}`;
}

function displayContents(phone: Phone, id: number): readonly string[] {
  const { width, height } = phone.size;
  const { size, density } = phone.options;
  return [
    `  Display: mDisplayId=${id} (organized)`,
    `    init=${size.width}x${size.height} ${density}dpi cur=${width}x${height} app=${width}x${height} rng=1080x1017-2400x2337`,
    `  mCurrentFocus=${phone.isAwake ? focusOf(phone) : "null"}`,
    `  mFocusedApp=ActivityRecord{4f2a91c u${phone.frontUser} ${component(phone.front)} t12}`,
    "  DisplayRotation",
    `    mRotation=ROTATION_${phone.rotation * 90} mDeferredRotationPauseCount=0`,
  ];
}

function viewport({ phone, physical }: Panel, id: number): string {
  const { width, height } = phone.size;
  const type = id === 0 ? "INTERNAL" : "EXTERNAL";
  const frame = `Rect(0, 0 - ${width}, ${height})`;
  return `DisplayViewport{type=${type}, valid=true, isActive=true, displayId=${id}, uniqueId='local:${physical}', physicalPort=${id}, orientation=${phone.rotation}, logicalFrame=${frame}, physicalFrame=${frame}, deviceWidth=${width}, deviceHeight=${height}}`;
}
