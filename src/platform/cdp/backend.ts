import type { Backend } from "../backend.ts";
import type { AttachedPage } from "./attached-page.ts";
import { performDeed } from "./deeds.ts";
import { elementsOf } from "./elements.ts";
import { watchPage } from "./events.ts";
import type { PageInput } from "./input.ts";
import { keyboardOf } from "./keyboard.ts";
import { inputListener } from "./listen.ts";
import { pointerOf } from "./pointer.ts";
import { screenOf, type DecodePicture } from "./screen.ts";
import { PageTraces } from "./traces.ts";
import { windowsOf } from "./windows.ts";

/** A page as a surface: its viewport is the screen and its only window, in CSS pixels. */
export function pageBackend(page: AttachedPage, input: PageInput, decode: DecodePicture): Backend {
  const traces = new PageTraces(page);
  return {
    id: `cdp ${page.target.id}`,
    screen: screenOf(page, decode),
    pointer: pointerOf(page, input),
    keyboard: keyboardOf(page, input),
    input: inputListener(page, input),
    windows: windowsOf(page),
    elements: elementsOf(page, input),
    events: { watch: (kinds, listener, options) => watchPage(page, kinds, listener, options) },
    traces: (_windowId, { signal } = {}) => traces.read({ signal }),
    page: { perform: (deed, options) => performDeed(page, input, deed, options) },
    diagnose: async () => [
      page.ended
        ? { ability: "connection", status: "missing", detail: page.ended.message }
        : { ability: "connection", status: "ok", detail: `${page.target.id} answers: ${page.target.info().url}` },
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}
