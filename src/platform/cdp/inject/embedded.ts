/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

/** The value of a control in the middle of another element's label: "Flash the screen [3] times". */
export function makeEmbedded(dom: Dom) {
  const chosen = (list: Element): string => {
    const options = list.querySelectorAll("[role=option][aria-selected=true],[role=option][aria-checked=true]");
    return Array.from(options, (option) => (option.textContent || "").trim()).join(" ");
  };

  const valueOf = (element: Element, role: string): string | undefined => {
    if (element instanceof HTMLSelectElement) {
      return Array.from(element.selectedOptions, (option) => option.label).join(" ");
    }
    if (element instanceof HTMLMeterElement) return String(element.value);
    if (element instanceof HTMLProgressElement) return element.position < 0 ? undefined : String(element.value);
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      if (dom.isSecret(element)) return undefined;
      return /^(textbox|searchbox|combobox|spinbutton|slider)$/.test(role) ? element.value : undefined;
    }
    switch (role) {
      case "textbox":
      case "searchbox":
        return element.textContent || "";
      case "combobox": {
        const field = element.querySelector("input");
        if (field) return dom.isSecret(field) ? undefined : field.value;
        const options = chosen(element);
        // What cannot be used itself only groups a field and its list.
        return options === "" && (element as HTMLElement).tabIndex >= 0 ? element.textContent || "" : options;
      }
      case "listbox":
        return chosen(element);
      case "slider":
      case "spinbutton":
      case "scrollbar":
      case "progressbar":
      case "meter":
        return element.getAttribute("aria-valuetext") || element.getAttribute("aria-valuenow") || undefined;
      default:
        return undefined;
    }
  };

  const holding = new Set(
    "textbox searchbox combobox listbox slider spinbutton scrollbar progressbar meter".split(" "),
  );

  /** Undefined for what is no control, or is empty: then its name counts. */
  return (element: Element, role: string): string | undefined =>
    holding.has(role) || element instanceof HTMLInputElement ? valueOf(element, role) || undefined : undefined;
}

export type Embedded = ReturnType<typeof makeEmbedded>;
