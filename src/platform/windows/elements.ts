import type { ScreenPoint } from "../../base/geometry.ts";
import type { NodeAction, UiNode } from "../../base/node.ts";
import type { CallOptions, Elements, ElementScope, HastyOptions, Tree, TreeOptions } from "../backend.ts";
import { ownerOf, toScope } from "../scope.ts";
import type { AutomationChannel } from "./automation/channel.ts";

/** A program that has not answered by then counts as frozen. */
const silenceMs = 1500;

/** The element tree of the desktop: UI Automation, else MSAA, else the windows inside each window. */
export class WindowsElements implements Elements {
  readonly #channel: AutomationChannel;

  constructor(channel: AutomationChannel) {
    this.#channel = channel;
  }

  readonly scope = toScope;

  /** Every answer crosses two processes; a busy app takes its time. */
  readonly evidenceMs = 2_000;

  readonly pressing = {
    // Select does not open what a click on a row opens.
    selectsOnly: true,
    // A menu that is opened by a pattern takes the next keys, and one that shows a dialog blocks the call.
    breaksMenus: true,
  };

  tree(scope: ElementScope, { maxNodes, root, timeoutMs = silenceMs, signal }: TreeOptions): Promise<Tree> {
    const { pid, windowId } = ownerOf(scope);
    return this.#channel.ask("tree", { pid, windowId, root, maxNodes, timeoutMs }, { signal });
  }

  at(
    { x, y }: ScreenPoint,
    { pid, timeoutMs = silenceMs, signal }: HastyOptions & { readonly pid?: number | undefined } = {},
  ): Promise<readonly UiNode[]> {
    return this.#channel.ask("at", { x, y, pid, timeoutMs }, { signal });
  }

  focused({ timeoutMs = silenceMs, signal }: HastyOptions = {}): Promise<UiNode | undefined> {
    return this.#channel.ask("focused", { timeoutMs }, { signal });
  }

  read(
    ids: readonly string[],
    { timeoutMs = silenceMs, signal }: HastyOptions = {},
  ): Promise<readonly (UiNode | undefined)[]> {
    return this.#channel.ask("read", { ids, timeoutMs }, { signal });
  }

  perform(id: string, action: NodeAction, { signal }: CallOptions = {}): Promise<{ readonly via: string }> {
    return this.#channel.ask("perform", { id, action, timeoutMs: silenceMs }, { signal });
  }

  text(
    id: string,
    { maxChars, signal }: CallOptions & { readonly maxChars: number },
  ): Promise<{ readonly text: string; readonly length: number } | undefined> {
    return this.#channel.ask("text", { id, maxChars, timeoutMs: silenceMs }, { signal });
  }
}
