import type { SeenElement } from "../../eyes.ts";
import type { Clause } from "./parse.ts";
import type { Step } from "./step.ts";
import type { Target } from "./target.ts";

export function describe({ role, name, bounds }: SeenElement): string {
  return `${role}${name === "" ? "" : ` "${name.slice(0, 80)}"`}${bounds ? ` at ${bounds.x},${bounds.y}` : ""}`;
}

export function describeClause({ said, step }: Clause): string {
  if (!step) return `? ${said}`;
  return describeStep(step);
}

export function describeStep(step: Step): string {
  switch (step.do) {
    case "click": {
      const how = step.button === "right" ? "right-click" : step.count > 1 ? `click ${step.count} times` : "click";
      return `${how} ${phrase(step.target)}`;
    }
    case "press":
      return step.isKey ? `press the key ${step.key}` : `press ${step.word}`;
    case "type":
      return `${step.replaces ? "fill in" : "type"} ${JSON.stringify(step.text)}${step.into ? ` into ${phrase(step.into)}` : ""}`;
    case "clear":
      return `clear ${phrase(step.into)}`;
    case "check":
      return `turn ${step.on ? "on" : "off"} ${phrase(step.target)}`;
    case "choose":
      return `choose ${phrase(step.option)} from ${phrase(step.from)}`;
    case "drag":
      return `drag ${phrase(step.target)} onto ${phrase(step.onto)}`;
    case "wait":
      return step.text === "" ? `wait ${step.ms ?? 0} ms` : `wait for "${step.text}"`;
    case "scroll":
      return `scroll ${step.direction}`;
  }
}

function phrase({ name, role, ordinal, within }: Target): string {
  const which = ordinal === undefined ? "" : ordinal < 0 ? "last " : `number ${ordinal} `;
  const what = [which.trim(), role, name === "" ? "" : `"${name}"`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
  return within === undefined ? what : `${what} in "${within}"`;
}
