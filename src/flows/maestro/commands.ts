import type { FlowStep } from "../file/flow-schema.ts";
import { isMap, textOf, type Converting, type Fields } from "./converting.ts";
import { toTarget, type Target } from "./selector.ts";

/** Maestro's commands, as its documentation tells them, in our words. */

type Command = (value: unknown, converting: Converting) => readonly FlowStep[];

const fieldsOf = (value: unknown): Fields => (isMap(value) ? value : {});

/** What any command may say besides its own: whether it matters, what it is called, when it is done. */
function around(value: unknown, step: FlowStep): FlowStep {
  const { optional, label } = fieldsOf(value);
  return {
    ...(label === undefined ? {} : { name: textOf(label) }),
    ...step,
    ...(optional === true ? { optional: true } : {}),
  };
}

const withTarget =
  (make: (target: Target, fields: Fields) => FlowStep): Command =>
  (value, converting) => {
    const target = toTarget(value, converting);
    return target === undefined ? [] : [around(value, make(target, fieldsOf(value)))];
  };

const seconds = (ms: unknown): string => `${Number(ms) / 1_000}s`;
const asFields = (target: Target): Record<string, unknown> => (typeof target === "string" ? { text: target } : target);

const tap =
  (count: number): Command =>
  (value, converting) => {
    const target = toTarget(value, converting);
    if (target === undefined) return [];
    const { waitToSettleTimeoutMs: settle, repeat } = fieldsOf(value);
    const click = count > 1 ? { ...asFields(target), count } : target;
    const step = { click, ...(settle === undefined ? {} : { settle: seconds(settle) }) };
    if (repeat === undefined) return [around(value, step)];
    return [around(value, { repeat: { times: Number(repeat) }, steps: [step] })];
  };

const keys: Readonly<Record<string, string>> = {
  enter: "enter",
  backspace: "backspace",
  delete: "delete",
  home: "home",
  tab: "tab",
  escape: "escape",
  space: "space",
};

const pressKey: Command = (value, { unsupported }) => {
  const named = textOf(isMap(value) ? value["key"] : value) ?? "";
  if (named.toLowerCase() === "back") return [{ back: true }];
  const key = keys[named.toLowerCase()];
  if (key !== undefined) return [{ press: key }];
  unsupported(`pressKey ${named}`);
  return [];
};

const text =
  (make: (written: string) => FlowStep): Command =>
  (value, { unsupported }) => {
    const written = textOf(isMap(value) ? value["text"] : value);
    if (written !== undefined && !isScript(written)) return [around(value, make(written))];
    unsupported(written === undefined ? "a text that is missing" : `the expression ${written}`);
    return [];
  };

/** Anything but the name of a variable is JavaScript. */
const isScript = (written: string): boolean =>
  [...written.matchAll(/\$\{([^}]*)\}/g)].some(([, inside = ""]) => !/^\s*[A-Za-z_][\w-]*\s*$/.test(inside));

const waitUntil: Command = (value, converting) => {
  const { visible, notVisible, timeout } = fieldsOf(value);
  const [state, selector] = visible === undefined ? (["hidden", notVisible] as const) : (["visible", visible] as const);
  const target = toTarget(selector, converting.at([state === "visible" ? "visible" : "notVisible"]));
  if (target === undefined) return [];
  return [around(value, { wait: { [state]: target, ...(timeout === undefined ? {} : { within: seconds(timeout) }) } })];
};

const direction = (value: unknown): string | undefined => {
  const named = textOf(value)?.toLowerCase();
  return named !== undefined && ["up", "down", "left", "right"].includes(named) ? named : undefined;
};

const scrollUntil: Command = (value, converting) => {
  const fields = fieldsOf(value);
  const target = toTarget(fields["element"], converting.at(["element"]));
  nameRest(fields, ["element", "direction", "timeout", "speed", "optional", "label"], "scrollUntilVisible", converting);
  if (target === undefined) return [];
  const wanted = direction(fields["direction"]);
  const { timeout } = fields;
  return [
    around(value, {
      scroll: { until: target, ...(wanted === undefined ? {} : { direction: wanted }) },
      ...(timeout === undefined ? {} : { timeout: seconds(timeout) }),
    }),
  ];
};

const swipe: Command = (value, converting) => {
  const fields = fieldsOf(value);
  const { start, end, from } = fields;
  const wanted = direction(fields["direction"]);
  nameRest(fields, ["start", "end", "direction", "duration", "optional", "label"], "swipe", converting);
  if (start !== undefined && end !== undefined)
    return [around(value, { swipe: { from: { point: textOf(start) }, to: { point: textOf(end) } } })];
  if (wanted !== undefined && from === undefined) return [around(value, { swipe: wanted })];
  if (from === undefined) converting.unsupported("swipe without start and end, or a direction");
  return [];
};

function nameRest(fields: Fields, known: readonly string[], command: string, { unsupported }: Converting): void {
  for (const key of Object.keys(fields)) if (!known.includes(key)) unsupported(`${command}: field ${key}`);
}

const launchApp: Command = (value, converting) => {
  const fields = fieldsOf(value);
  nameRest(fields, ["appId", "label", "optional"], "launchApp", converting);
  const app = textOf(isMap(value) ? (value["appId"] ?? converting.appId) : (value ?? converting.appId));
  if (app !== undefined) return [around(value, { launch: app })];
  if (!converting.isWeb) converting.unsupported("launchApp without an appId");
  return [];
};

const runFlow: Command = (value, converting) => {
  if (typeof value === "string") return [{ run: value }];
  const fields = fieldsOf(value);
  const { file, env, commands: inner, when } = fields;
  nameRest(fields, ["file", "env", "commands", "when", "label", "optional"], "runFlow", converting);
  const condition = when === undefined ? undefined : toCondition(when, converting.at(["when"]));
  if (when !== undefined && condition === undefined) return [];
  const steps: readonly FlowStep[] =
    file === undefined
      ? inList(inner, converting.at(["commands"]))
      : [{ run: env === undefined ? (textOf(file) ?? "") : { flow: textOf(file) ?? "", vars: env as never } }];
  if (steps.length === 0) return [];
  return [around(value, { ...(condition === undefined ? {} : { when: condition as never }), steps })];
};

/** One of Maestro's conditions; several at once are blocks in blocks there, and cannot be said here. */
function toCondition(when: unknown, converting: Converting): unknown {
  const fields = fieldsOf(when);
  const [[kind, value] = ["", undefined], ...others] = Object.entries(fields);
  if (others.length > 0) {
    converting.unsupported(`when with several conditions: ${Object.keys(fields).join(", ")}`);
    return undefined;
  }
  if (kind === "visible" || kind === "notVisible") {
    const target = toTarget(value, converting);
    return target === undefined ? undefined : { [kind === "visible" ? "visible" : "hidden"]: target };
  }
  if (kind === "platform") {
    const on = { android: "device", web: "page" }[textOf(value)?.toLowerCase() ?? ""];
    if (on !== undefined) return { on };
  }
  if (kind === "true" && (value === true || value === false)) return { equals: [String(value), "true"] };
  converting.unsupported(`when ${kind} ${JSON.stringify(value)}`);
  return undefined;
}

const repeat: Command = (value, converting) => {
  const fields = fieldsOf(value);
  const { times, while: goesOn, commands: inner } = fields;
  nameRest(fields, ["times", "while", "commands", "label", "optional"], "repeat", converting);
  const condition = goesOn === undefined ? undefined : toCondition(goesOn, converting.at(["while"]));
  if (goesOn !== undefined && condition === undefined) return [];
  const steps = inList(inner, converting.at(["commands"]));
  if (steps.length === 0) return [];
  const count =
    times === undefined ? {} : { times: (typeof times === "number" ? times : (textOf(times) ?? "1")) as never };
  return [
    around(value, { repeat: { ...count, ...(condition === undefined ? {} : { while: condition as never }) }, steps }),
  ];
};

const retry: Command = (value, converting) => {
  const fields = fieldsOf(value);
  const { maxRetries, commands: inner, file } = fields;
  nameRest(fields, ["maxRetries", "commands", "file", "label", "optional"], "retry", converting);
  const steps = file === undefined ? inList(inner, converting.at(["commands"])) : [{ run: textOf(file) ?? "" }];
  return steps.length === 0 ? [] : [around(value, { retry: Number(maxRetries ?? 1), steps })];
};

const erase: Command = (value) => {
  const count = Number(isMap(value) ? value["charactersToErase"] : (value ?? 50));
  return [{ press: { key: "backspace", times: Math.min(100, count || 50) } }];
};

const screenshot: Command = (value, { unsupported }) => {
  const name = textOf(isMap(value) ? value["path"] : value);
  if (name !== undefined) return [{ screenshot: name.endsWith(".png") ? name : `${name}.png` }];
  unsupported("takeScreenshot without a name");
  return [];
};

const openLink: Command = (value, { isWeb, unsupported }) => {
  const link = textOf(isMap(value) ? value["link"] : value);
  if (isWeb && link !== undefined) return [around(value, { open: link })];
  unsupported("openLink on a device");
  return [];
};

/** They happen anyway, or change nothing of what is tested. */
const anyway =
  (why: string): Command =>
  (_, { note }) => {
    note(why);
    return [];
  };

const cannot =
  (name: string): Command =>
  (_, { unsupported }) => {
    unsupported(name);
    return [];
  };

const unknownToUs = [
  "longPressOn",
  "assertTrue",
  "assertNoDefectsWithAI",
  "assertWithAI",
  "extractTextWithAI",
  "assertScreenshot",
  "stopApp",
  "killApp",
  "clearState",
  "clearKeychain",
  "hideKeyboard",
  "runScript",
  "evalScript",
  "setLocation",
  "travel",
  "setAirplaneMode",
  "toggleAirplaneMode",
  "setOrientation",
  "setClipboard",
  "setPermissions",
  "addMedia",
  "inputRandomEmail",
  "inputRandomPersonName",
  "inputRandomNumber",
  "inputRandomText",
  "inputRandomCityName",
  "inputRandomCountryName",
  "inputRandomColorName",
] as const;

export const commands: Readonly<Record<string, Command>> = {
  tapOn: tap(1),
  doubleTapOn: tap(2),
  inputText: text((written) => ({ type: written })),
  eraseText: erase,
  pressKey,
  back: () => [{ back: true }],
  assertVisible: withTarget((target) => ({ expect: { visible: target } })),
  assertNotVisible: withTarget((target) => ({ expect: { hidden: target } })),
  extendedWaitUntil: waitUntil,
  scroll: () => [{ scroll: "down" }],
  scrollUntilVisible: scrollUntil,
  swipe,
  copyTextFrom: withTarget((target) => ({ read: { ...asFields(target), as: "copiedText" } })),
  pasteText: () => [{ type: "${copiedText}" }],
  launchApp,
  openLink,
  takeScreenshot: screenshot,
  runFlow,
  repeat,
  retry,
  waitForAnimationToEnd: anyway("waitForAnimationToEnd: every action waits until the screen is quiet"),
  startRecording: anyway("startRecording: --report keeps pictures of every step"),
  stopRecording: anyway("stopRecording: --report keeps pictures of every step"),
  ...Object.fromEntries(unknownToUs.map((name) => [name, cannot(name)])),
};

/** The steps of a list of commands. */
export function inList(list: unknown, converting: Converting): readonly FlowStep[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    converting.unsupported("commands that are not a list");
    return [];
  }
  return list.flatMap((item: unknown, index) => ofItem(item, converting.at([index])));
}

/** The steps of one command. */
export function ofItem(item: unknown, converting: Converting): readonly FlowStep[] {
  if (typeof item === "string") return perform(item, undefined, converting);
  if (isMap(item)) return Object.entries(item).flatMap(([name, value]) => perform(name, value, converting.at([name])));
  converting.unsupported("a command that is neither a name nor a field");
  return [];
}

function perform(name: string, value: unknown, converting: Converting): readonly FlowStep[] {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command(value, converting);
  converting.unsupported(`unknown command ${name}`);
  return [];
}
