import type { Header } from "./message.ts";
import type { Value } from "./value.ts";

/** Which signals to receive. `sender` is a unique name (":1.7"); to follow a well-known name use `watchOwner`. */
export interface MatchRule {
  readonly sender?: string;
  readonly path?: string;
  readonly interface?: string;
  readonly member?: string;
  /** The first argument, when it is a string. */
  readonly arg0?: string;
}

export interface Signal {
  readonly sender: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly Value[];
}

const ruleKeys = ["sender", "path", "interface", "member", "arg0"] as const;

export function toMatchRule(rule: MatchRule): string {
  const parts = ruleKeys.flatMap((key) => {
    const value = rule[key];
    return value === undefined ? [] : [`${key}='${value.replaceAll("'", String.raw`'\''`)}'`];
  });
  return ["type='signal'", ...parts].join(",");
}

/** Everything except `arg0`, which is in the body. */
export function matches(rule: MatchRule, header: Header): boolean {
  return (
    (rule.member === undefined || rule.member === header.member) &&
    (rule.interface === undefined || rule.interface === header.interface) &&
    (rule.path === undefined || rule.path === header.path) &&
    (rule.sender === undefined || rule.sender === header.sender)
  );
}
