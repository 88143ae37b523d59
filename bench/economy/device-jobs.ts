import type { AndroidTarget } from "../../test/simulators/android/lab.ts";
import type { DeviceAgent, Target } from "./agent.ts";

export interface DeviceJob {
  readonly id: string;
  readonly goal: string;
  /** The app that is in front when the agent starts. */
  readonly app: string;
  run(agent: DeviceAgent): Promise<unknown>;
  /** From the device's own record; undefined when it is right. */
  check(device: AndroidTarget): string | undefined;
}

const named = (name: string): Target => ({ name });

function toggled(device: AndroidTarget, name: string): string | undefined {
  const last = device.events().findLast((event) => event.kind === "toggle" && event.name === name);
  return last?.kind === "toggle" && last.on ? undefined : `${name} was not turned on`;
}

function submitted(device: AndroidTarget, expected: readonly Readonly<Record<string, string>>[]): string | undefined {
  const sent = device.events().flatMap((event) => (event.kind === "submit" ? [event.data] : []));
  const isRight =
    sent.length === expected.length &&
    expected.every((each, index) => Object.entries(each).every(([key, value]) => sent[index]?.[key] === value));
  return isRight ? undefined : `it was sent ${JSON.stringify(sent)}`;
}

export const deviceJobs: readonly DeviceJob[] = [
  {
    id: "device, a switch",
    goal: "Turn on airplane mode.",
    app: "Settings",
    run: (agent) => agent.act([{ click: named("Airplane mode") }]),
    check: (device) => toggled(device, "Airplane mode"),
  },
  {
    id: "device, a form",
    goal: "Sign up as Ada Lovelace, ada@example.org, with the news.",
    app: "Sign up",
    run: (agent) =>
      agent.act(
        [
          { fill: named("Full name"), text: "Ada Lovelace" },
          { fill: named("Email"), text: "ada@example.org" },
          { check: named("Send me news") },
          { click: named("Submit") },
        ],
        /Thank you, Ada/,
      ),
    check: (device) => submitted(device, [{ name: "Ada Lovelace", email: "ada@example.org", news: "true" }]),
  },
  {
    id: "device, scroll and hold",
    goal: "Select Contact 40 by holding it.",
    app: "Contacts",
    async run(agent) {
      await agent.scrollTo(named("Contact 40"));
      await agent.act([{ hold: named("Contact 40") }]);
    },
    check: (device) => toggled(device, "Contact 40"),
  },
  {
    id: "device, open and read",
    goal: "What does Settings say about the phone?",
    app: "Settings",
    async run(agent) {
      await agent.scrollTo(named("About phone"));
      await agent.act([{ click: named("About phone") }], /Nothing to set for About phone/);
    },
    check: (device) => (device.screenText().includes("for About phone") ? undefined : "another page is open"),
  },
  {
    id: "device, there and back",
    goal: "Look at Display, go back, and turn on Bluetooth.",
    app: "Settings",
    async run(agent) {
      await agent.act([{ click: named("Display") }], /Nothing to set for Display/);
      await agent.back();
      await agent.act([{ click: named("Bluetooth") }]);
    },
    check: (device) => toggled(device, "Bluetooth"),
  },
  {
    id: "device, two notes",
    goal: "Save two notes: Buy rope, and Call Ada.",
    app: "Notes",
    async run(agent) {
      await agent.act([{ fill: named("Note"), text: "Buy rope" }, { click: named("Save") }], /Buy rope/);
      await agent.act([{ fill: named("Note"), text: "Call Ada" }, { click: named("Save") }], /Call Ada/);
    },
    check: (device) => submitted(device, [{ note: "Buy rope" }, { note: "Call Ada" }]),
  },
];
