/// <reference lib="dom" />
import type { ScrollTo } from "../../../base/node.ts";
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Seen, Watching } from "./watch.ts";

export type FillPlan =
  /** `holds` is what the field contains now, if that may differ from what was entered. */
  | { readonly how: "done"; readonly holds?: string | undefined }
  /** The content is selected: enter the text with the keyboard. */
  | { readonly how: "type"; readonly clear: boolean }
  | { readonly how: "click" }
  /** Its list is open, and has to be closed first. */
  | { readonly how: "open" }
  | { readonly how: "files" }
  | { readonly how: "problem"; readonly problem: string; readonly candidates?: string[] | undefined };

export type Fields = ReturnType<typeof makeFields>;

/** Fills fields the way a person would leave them: focused, with the events that apps listen to. */
export function makeFields(dom: Dom, names: Names, describe: Describe, conclude: Watching["conclude"]) {
  const setNatively = (element: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement, value: string): void => {
    // Frameworks put their own setter on the element; the one on the class is the browser's.
    const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value");
    if (own?.set) own.set.call(element, value);
    else element.value = value;
  };
  const tell = (element: Element): void => {
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  const choose = (select: HTMLSelectElement, value: string): FillPlan => {
    const options = Array.from(select.options);
    const wanted = select.multiple ? value.split("\n") : [value];
    const find = (text: string): HTMLOptionElement | undefined => {
      const plain = names.squash(text).toLowerCase();
      return (
        options.find((option) => option.value === text) ||
        options.find((option) => names.squash(option.label) === names.squash(text)) ||
        options.find((option) => names.squash(option.label).toLowerCase() === plain)
      );
    };
    // An empty value selects nothing in a multiple list; in a single list it must match an option.
    const found = wanted.filter((text) => text !== "" || !select.multiple).map(find);
    if (found.some((option) => option === undefined)) {
      return {
        how: "problem",
        problem: "has no such option",
        candidates: options.slice(0, 20).map((option) => names.squash(option.label)),
      };
    }
    if (found.some((option) => option?.matches(":disabled")))
      return { how: "problem", problem: "has this option, but disabled" };
    select.focus();
    if (select.multiple) for (const option of options) option.selected = found.indexOf(option) >= 0;
    else if (found[0]) select.selectedIndex = options.indexOf(found[0]);
    tell(select);
    return { how: "done" };
  };

  const assign = (input: HTMLInputElement, value: string): FillPlan => {
    const was = input.value;
    input.focus();
    setNatively(input, value);
    // Browsers know different colour names; a slider takes anything that is not a number as its middle.
    const isTaken =
      input.type === "color"
        ? input.value.toLowerCase() === value.toLowerCase()
        : input.type === "range"
          ? value.trim() !== "" && !Number.isNaN(Number(value))
          : input.value !== "" || value === "";
    if (!isTaken) {
      setNatively(input, was);
      const forms: Record<string, string> = {
        date: "2026-01-31",
        time: "13:45",
        "datetime-local": "2026-01-31T13:45",
        month: "2026-01",
        week: "2026-W05",
        color: "#3366ff",
      };
      return { how: "problem", problem: `takes values like ${forms[input.type] || "1"}` };
    }
    tell(input);
    const isHeld = input.type !== "range" || Number(input.value) === Number(value);
    return isHeld ? { how: "done" } : { how: "done", holds: input.value };
  };

  /** As an edit by the user, with its events and its place in the undo history. */
  const enter = (field: HTMLInputElement | HTMLTextAreaElement, value: string): FillPlan => {
    field.focus();
    if (dom.deepActive() !== field) return { how: "problem", problem: "does not accept the focus" };
    field.select();
    if (value === "" && field.value === "") return { how: "done", holds: "" };
    // An edit by script fires no event beforehand, so send the one that the keyboard would: a page may want to
    // prevent it.
    const asked = new InputEvent("beforeinput", {
      inputType: value === "" ? "deleteContentBackward" : "insertText",
      data: value === "" ? null : value,
      bubbles: true,
      cancelable: true,
      composed: true,
    });
    const was = field.value;
    const command = value === "" ? "delete" : "insertText";
    const isLet = field.dispatchEvent(asked);
    // A page that prevents it may have made the edit itself.
    if (field.value === was && !(isLet && document.execCommand(command, false, value)))
      return { how: "type", clear: field.value !== "" };
    return { how: "done", holds: field.value };
  };

  const selectAll = (element: Element): void => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = (element.getRootNode() as Document).getSelection?.() || getSelection();
    if (!selection) return;
    selection.removeAllRanges();
    selection.addRange(range);
  };

  const fill = (id: number, value: string): FillPlan => {
    let element = dom.element(id);
    if (!element) return { how: "problem", problem: "gone" };
    if (element instanceof HTMLLabelElement && element.control) element = element.control;
    if (describe.isDisabled(element)) return { how: "problem", problem: "is disabled" };
    (element as HTMLElement).scrollIntoView({ behavior: "instant" as ScrollBehavior, block: "nearest" });
    if (element instanceof HTMLSelectElement)
      return describe.isOpen(element) ? { how: "open" } : choose(element, value);
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement) {
      if (element.readOnly) return { how: "problem", problem: "is read-only" };
      const type = element instanceof HTMLInputElement ? element.type : "textarea";
      if (type === "checkbox" || type === "radio") {
        const wanted = /^(true|on|yes|1|checked)$/i.test(value);
        if (!wanted && !/^(false|off|no|0|unchecked|)$/i.test(value))
          return { how: "problem", problem: 'takes "true" or "false"' };
        return wanted === (element as HTMLInputElement).checked ? { how: "done" } : { how: "click" };
      }
      if (type === "file") return { how: "files" };
      if (/^(button|submit|reset|image)$/.test(type)) return { how: "problem", problem: "is a button" };
      if (/^(date|time|datetime-local|month|week|color|range)$/.test(type))
        return assign(element as HTMLInputElement, value);
      if (type === "number" && value !== "" && Number.isNaN(Number(value)))
        return { how: "problem", problem: "takes a number" };
      return enter(element, value);
    }
    const host = describe.isEditingHost(element) ? element : element.closest("[contenteditable]");
    if (host instanceof HTMLElement && host.isContentEditable) {
      host.focus();
      selectAll(host);
      return { how: "type", clear: names.squash(host.innerText) !== "" };
    }
    const field = element.querySelector("input:not([type=hidden]),textarea,select,[contenteditable]");
    return {
      how: "problem",
      problem: field ? `is not a field, but ${describe.titleOf(field)} inside it is` : "is not a field",
    };
  };

  return {
    /** If it is done at once, the effect is observed and reported in the same answer. */
    fill: async (
      id: number,
      value: string,
      looks: boolean,
    ): Promise<{ readonly plan: FillPlan; readonly seen?: Seen | undefined }> => {
      const plan = fill(id, value);
      return plan.how === "done" && looks ? { plan, seen: await conclude(id) } : { plan };
    },
    /** Chooses an option of a closed list, as its popup would, which is not part of the page. */
    pick: async (
      id: number,
      looks: boolean,
    ): Promise<{ readonly isDone: boolean; readonly seen?: Seen | undefined }> => {
      const option = dom.element(id);
      const select = option instanceof HTMLOptionElement ? option.closest("select") : null;
      if (!select || !dom.isShown(select)) return { isDone: false };
      select.focus();
      const { index } = option as HTMLOptionElement;
      if (select.selectedIndex !== index) {
        select.selectedIndex = index;
        tell(select);
      }
      return looks ? { isDone: true, seen: await conclude(id) } : { isDone: true };
    },
    /** Of the list, or of the one that the option is in. */
    isListOpen: (id: number): boolean => {
      const select = dom.element(id)?.closest("select");
      return select instanceof HTMLSelectElement && describe.isOpen(select);
    },
    /** What the field contains now, in the form that `fill` takes; undefined if it has no text. */
    holds: (id: number): string | undefined => {
      let element = dom.element(id);
      if (element instanceof HTMLLabelElement && element.control) element = element.control;
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
      return element instanceof HTMLElement && element.isContentEditable ? element.innerText : undefined;
    },
    /** Whether keys would write, here or in what the focus is in. */
    takesText: (): boolean => {
      const active = dom.deepActive();
      return (
        active !== undefined && (describe.isEditable(active) || /^(iframe|frame|object|embed)$/.test(active.localName))
      );
    },
    focus: (id: number): boolean => {
      const element = dom.element(id);
      if (element instanceof HTMLElement) element.focus();
      return element !== undefined && dom.deepActive() === element;
    },
    scrollTo: (id: number): void => {
      const element = dom.element(id);
      if (element) element.scrollIntoView({ behavior: "instant" as ScrollBehavior, block: "center", inline: "center" });
    },
    /** Scrolls the nearest ancestor that can be scrolled that way; false when there is none. */
    scrollBox: (id: number, { isHorizontal, percent, notches }: Omit<ScrollTo, "name">): boolean => {
      const wheelNotch = 100;
      const page = document.scrollingElement;
      for (
        let box: Element | null = dom.element(id) ?? null;
        box;
        box = box === page ? null : (box.parentElement ?? page)
      ) {
        const room = isHorizontal ? box.scrollWidth - box.clientWidth : box.scrollHeight - box.clientHeight;
        const style = getComputedStyle(box);
        const overflow = isHorizontal ? style.overflowX : style.overflowY;
        if (room <= 0 || (box !== page && overflow !== "auto" && overflow !== "scroll")) continue;
        const now = isHorizontal ? box.scrollLeft : box.scrollTop;
        const to = percent === undefined ? now + notches * wheelNotch : (room * percent) / 100;
        box.scrollTo({ behavior: "instant" as ScrollBehavior, [isHorizontal ? "left" : "top"]: to });
        return true;
      }
      return false;
    },
    setDisclosure: (id: number, open: boolean): boolean => {
      const element = dom.element(id);
      const details = element && element.closest("details");
      if (!details || details.open === open) return details !== null && details !== undefined;
      details.open = open;
      return true;
    },
  };
}
