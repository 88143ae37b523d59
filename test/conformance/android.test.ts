import type { Button } from "../../src/platform/backend.ts";
import { toScope } from "../../src/platform/scope.ts";
import type { Rect } from "../../src/base/geometry.ts";
import type { Key } from "../../src/base/keys.ts";
import { openDevices } from "../../src/platform/android/index.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { startAndroid, type AndroidTarget } from "../simulators/android/lab.ts";
import { makeField, type App, type DeviceEvent } from "../simulators/android/screen/app.ts";
import type { Phone } from "../simulators/android/screen/phone.ts";
import type { View } from "../simulators/android/screen/view.ts";
import { button, field, label, layout, screen as wholeScreen } from "../simulators/android/screen/widgets.ts";
import { small } from "../simulators/android/session.ts";
import { Cannot, colours, names, titles, type AppCommand, type AppEvent, type KnownApp, type Stage } from "./stage.ts";
import { conform } from "./suite.ts";

conform("android", openStage);

/** The test device with the known app in front; its memory can be inspected. */
async function openStage(): Promise<Stage> {
  const lab = await startAndroid(small);
  const [device] = lab.devices;
  if (!device) throw new Error("there is no device");
  const devices = await openDevices({ decode: decodePicture, env: lab.env });
  const { backend } = await devices.connect(device.serial, {});
  const app = new DeviceApp(device);
  return {
    backend,
    screen: small.size,
    app,
    // The screen's units are its pixels, at whatever scale apps draw.
    async atScale(scale) {
      device.phone.overrideDensity = 160 * scale;
      return { backend, app: new DeviceApp(device, app), pixelsPerUnit: 1 };
    },
    async reopen() {
      const second = await openDevices({ decode: decodePicture, env: lab.env });
      const connected = await second.connect(device.serial, {});
      return { ...connected.backend, [Symbol.asyncDispose]: () => second[Symbol.asyncDispose]() };
    },
    launchable: {
      id: "org.example.notes",
      args: [],
      unknown: "org.example.nowhere",
      isRunning: async () => device.phone.front.package === "org.example.notes",
    },
    async [Symbol.asyncDispose]() {
      await devices[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

const colour = (rgb: number): string => `#${rgb.toString(16).padStart(6, "0")}`;
const place = (row: number): Rect => ({ x: 360, y: 100 + row * 90, width: 320, height: 80 });
const padAt: Rect = { x: 40, y: 120, width: 200, height: 150 };
const half: Rect = { ...padAt, width: padAt.width / 2 };

class DeviceApp implements KnownApp {
  readonly title = "org.example.conformance/.Conformance";
  readonly pid = 1;
  readonly scope = toScope({ pid: 1 });
  readonly #device: AndroidTarget;
  readonly #parent: DeviceApp | undefined;
  readonly #notes = makeField(names.field, { isMultiline: true });
  readonly #secret = makeField(names.secret);
  #state = { isSwapped: false, isChecked: false, hasButton: true, selected: "" };
  #said: AppEvent[] = [];

  /** With a parent it is the same app, and its reset keeps the scale. */
  constructor(device: AndroidTarget, parent?: DeviceApp) {
    this.#device = device;
    this.#parent = parent;
  }

  get #phone(): Phone {
    return this.#device.phone;
  }

  get events(): readonly AppEvent[] {
    if (this.#parent) return this.#parent.events;
    for (const event of this.#phone.events.splice(0)) this.#said.push(...this.#translate(event));
    return this.#said;
  }

  async reset(): Promise<void> {
    if (this.#parent) return this.#parent.#reset();
    this.#phone.overrideDensity = undefined;
    await this.#reset();
  }

  async #reset(): Promise<void> {
    this.#state = { isSwapped: false, isChecked: false, hasButton: true, selected: "" };
    Object.assign(this.#notes, { text: "", caret: 0, isAllSelected: false });
    this.#secret.text = "hunter2";
    this.#phone.focus(undefined);
    this.#phone.stop(this.#app.package);
    this.#phone.front = this.#app;
    this.#phone.events.length = 0;
    this.#said = [];
  }

  async act(command: AppCommand): Promise<void> {
    if (command === "swap colours") this.#state.isSwapped = true;
    else if (command === "focus field") this.#phone.focus(this.#notes);
    else if (command === "remove button") this.#state.hasButton = false;
    else if (command === "check") this.#state.isChecked = true;
    else throw new Cannot(`An Android app has no way to ${command}.`);
  }

  async pad(): Promise<Rect> {
    return padAt;
  }

  async place(name: string): Promise<Rect> {
    return place(rows.indexOf(name));
  }

  async window(): Promise<Rect> {
    return { x: 0, y: 0, ...small.size };
  }

  async text(): Promise<string> {
    return this.#notes.text;
  }

  async freeze(): Promise<AsyncDisposable> {
    const frozen = await this.#device.freezeDaemon();
    return { [Symbol.asyncDispose]: async () => frozen[Symbol.dispose]() };
  }

  readonly #app: App = {
    package: "org.example.conformance",
    activity: ".Conformance",
    label: titles.window,
    color: "#000000",
    open: (host) => ({
      views: (area) => {
        const { isSwapped, isChecked, hasButton, selected } = this.#state;
        const [left, right] = isSwapped ? [colours.right, colours.left] : [colours.left, colours.right];
        const painted = (bounds: Rect, fill: number): View => ({
          type: "android.view.View",
          bounds,
          isOnlyPainted: true,
          look: { fill: colour(fill) },
        });
        const at = (name: string): Rect => place(rows.indexOf(name));
        const press = () => this.#said.push({ event: "pressed", name: names.button });
        const toggle = () => {
          this.#state.isChecked = !isChecked;
          this.#said.push({ event: "toggled", name: names.check, on: !isChecked });
        };
        return wholeScreen(area, [
          painted(half, left),
          painted({ ...half, x: half.x + half.width }, right),
          ...(hasButton ? [button(at(names.button), names.button, area, "press", press)] : []),
          { ...button(at(names.disabled), names.disabled, area, "disabled", () => {}), isEnabled: false },
          {
            ...label(at(names.check), names.check, area, {}, "check"),
            type: "android.widget.CheckBox",
            isCheckable: true,
            isChecked,
            onTap: toggle,
          },
          field(at(names.field), this.#notes, area, host, { hint: "", description: names.field, id: "notes" }),
          field(at(names.secret), this.#secret, area, host, {
            hint: "",
            description: names.secret,
            isPassword: true,
          }),
          { type: "android.widget.SeekBar", bounds: at(names.slider), description: names.slider, isFocusable: true },
          button(at(names.expander), names.expander, area, "more", () => {}),
          layout(
            { ...at(names.list), height: 300 },
            Array.from({ length: 5 }, (_, index) => {
              const name = `Fruit ${index + 1}`;
              const bounds = { ...at(names.list), y: at(names.list).y + index * 60, height: 60 };
              const select = () => {
                this.#state.selected = name;
                this.#said.push({ event: "selected", name });
              };
              return { ...label(bounds, name, area), isSelected: selected === name, onTap: select };
            }),
            {
              type: "androidx.recyclerview.widget.RecyclerView",
              description: names.list,
              isDecoration: false,
              isScrollable: true,
            },
          ),
        ]);
      },
    }),
  };

  /** How an app sees a touch: a long press is the other button, a swipe is a wheel. */
  #translate(event: DeviceEvent): readonly AppEvent[] {
    if (event.kind === "tap" || event.kind === "long_press") {
      const at = { button: (event.kind === "tap" ? "left" : "right") as Button, x: event.x, y: event.y };
      return [
        { event: "press", ...at },
        { event: "release", ...at },
      ];
    }
    if (event.kind === "swipe") {
      const [dx, dy] = [event.to[0] - event.from[0], event.to[1] - event.from[1]];
      const { width, height } = small.size;
      return [{ event: "wheel", x: -dx / (width / 10), y: -dy / (height / 10) }];
    }
    if (event.kind === "key") {
      const key = keys[event.key] ?? event.key.toLowerCase();
      return [
        { event: "key", key, isDown: true },
        { event: "key", key, isDown: false },
      ];
    }
    return [];
  }
}

const keys: Readonly<Record<string, Key>> = { SHIFT_LEFT: "shift", DPAD_RIGHT: "right", CTRL_LEFT: "ctrl" };

const rows: readonly string[] = [
  names.button,
  names.disabled,
  names.check,
  names.field,
  names.secret,
  names.slider,
  names.expander,
  names.list,
];
