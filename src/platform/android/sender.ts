import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Permit } from "../devices.ts";
import type { Connection } from "./connection.ts";
import { moved, type DisplayReader, type Glance, type Panel } from "./display.ts";
import { asLast, type ShellOptions, type ShellResult } from "./shell.ts";

export interface SendOptions extends ShellOptions {
  /** This input leaves an app that must not be used. */
  readonly isLeaving?: boolean;
}

/**
 * The command, and the display it goes to, for the current displays and the device's own input program. May throw: a
 * point may be on none of them.
 */
export type Input = (glance: Glance, program: string) => { readonly command: string; readonly panel: Panel };

// From Android 12 on, `input` is a two-line script that starts this; before, it starts a virtual machine.
const firstWithService = 31;

// A device that reports something different every time must not be asked forever: after this many tries the last look
// counts.
const mostTries = 4;

/**
 * Sends each input once. If it needs permission, the device itself checks in the same command that the app in front
 * is still the one that was permitted: this costs no extra round trip, and nothing can come to the front in between.
 */
export class Sender {
  readonly #connection: Connection;
  readonly #display: DisplayReader;
  readonly #program: string;
  readonly #permit: Permit | undefined;

  constructor(
    connection: Connection,
    display: DisplayReader,
    { sdk, permit }: { readonly sdk: number | undefined; readonly permit: Permit | undefined },
  ) {
    this.#permit = permit;
    this.#connection = connection;
    this.#display = display;
    this.#program = `${asLast} ${(sdk ?? 0) >= firstWithService ? "cmd input" : "input"}`;
  }

  async send(input: Input, { isLeaving = false, ...options }: SendOptions): Promise<ShellResult> {
    const permit = isLeaving ? undefined : this.#permit;
    let seen = await this.#display.last(options);
    for (let tries = 1; ; tries++) {
      const { glance, command, panel } = await this.#aim(seen, input, options);
      permit?.(panel.front);
      const isChecked = permit !== undefined && glance.lines.length > 0 && tries < mostTries;
      const line = isChecked ? this.#display.whileSame(glance, command) : command;
      const result = await this.#connection.send(line, options);
      if (!isChecked || !result.stdout.includes(moved)) return result;
      seen = await this.#display.read(options);
    }
  }

  /** A point or display that is missing from the last reading may exist now. */
  async #aim(seen: Glance, input: Input, options: CallOptions) {
    try {
      return { glance: seen, ...input(seen, this.#program) };
    } catch (error) {
      if (!(error instanceof ToolError) || !["out_of_bounds", "not_found"].includes(error.code)) throw error;
      const glance = await this.#display.read(options);
      return { glance, ...input(glance, this.#program) };
    }
  }
}
