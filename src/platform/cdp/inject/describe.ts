/// <reference lib="dom" />
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";

export type Describe = ReturnType<typeof makeDescribe>;

/** States, values and places of single elements. */
export function makeDescribe(dom: Dom, roles: Roles, names: Names) {
  const isAria = (name: string): boolean => name.startsWith("aria-");
  const checkable = new Set("checkbox radio switch menuitemcheckbox menuitemradio option treeitem".split(" "));

  const isEditable = (element: Element): boolean => {
    const tag = element.localName;
    if (tag === "textarea") return !(element as HTMLTextAreaElement).readOnly;
    if (tag === "input") {
      const { readOnly, type } = element as HTMLInputElement;
      return !readOnly && !/^(button|submit|reset|image|checkbox|radio|file|color|range|hidden)$/.test(type);
    }
    return (element as Partial<HTMLElement>).isContentEditable === true;
  };

  /** The element that takes the text: the outermost editable one. */
  const isEditingHost = (element: Element): boolean =>
    (element as Partial<HTMLElement>).isContentEditable === true &&
    !(element.parentElement && element.parentElement.isContentEditable);

  const controls = new Set("button fieldset input optgroup option select textarea".split(" "));
  const isDisabled = (element: Element): boolean => {
    const tag = element.localName;
    const mayBe = controls.has(tag) || tag.indexOf("-") > 0;
    return (mayBe && element.matches(":disabled")) || (mayBeInert(element) && element.closest(inert) !== null);
  };

  const inert = "[aria-disabled=true],[inert]";
  // Searching the ancestors of thousands of elements takes long; most documents have no inert element.
  let inertRoots: Map<Node, boolean> | undefined;
  const mayBeInert = (element: Element): boolean => {
    if (!inertRoots) return true;
    const root = dom.rootOf(element);
    const known = inertRoots.get(root);
    if (known !== undefined) return known;
    const has = root.querySelector(inert) !== null;
    inertRoots.set(root, has);
    return has;
  };

  // The open list of a field is no part of the page; this is all that shows it. Older browsers do not know the selector.
  const knowsOpen = CSS.supports("selector(:open)");
  const isOpen = (element: Element): boolean => knowsOpen && element.matches(":open");

  const statesOf = (element: Element, role: string, active: Element | undefined): string[] => {
    const tag = element.localName;
    const isField = tag === "input" || tag === "textarea";
    // Most elements have no such attribute at all; one check saves a dozen.
    const hasAria = element.hasAttributes() && element.getAttributeNames().some(isAria);
    const aria = (name: string): string | null => (hasAria ? element.getAttribute(name) : null);
    const states: string[] = [];
    if (!isDisabled(element)) states.push("enabled");
    if (element === active) states.push("focused");
    if (roles.isFocusable(element)) states.push("focusable");
    if (isEditable(element)) states.push("editable");
    if ((isField && (element as HTMLInputElement).readOnly) || aria("aria-readonly") === "true")
      states.push("readonly");
    if (tag === "textarea" || aria("aria-multiline") === "true") states.push("multiline");
    if (isField && dom.isSecret(element)) states.push("password");
    if (checkable.has(role)) {
      const input = tag === "input" ? (element as HTMLInputElement) : undefined;
      const checked = input ? input.checked : aria("aria-checked") === "true";
      if (input || aria("aria-checked") !== null) states.push("checkable");
      if (input?.indeterminate || aria("aria-checked") === "mixed") states.push("mixed");
      else if (checked) states.push("checked");
    }
    if (aria("aria-pressed") === "true") states.push("pressed");
    if (tag === "option" ? (element as HTMLOptionElement).selected : aria("aria-selected") === "true")
      states.push("selected");
    const expanded =
      role === "disclosure" && element.parentElement
        ? String((element.parentElement as HTMLDetailsElement).open)
        : aria("aria-expanded");
    if (expanded === "true" || (tag === "select" && isOpen(element))) states.push("expanded");
    else if (expanded === "false") states.push("collapsed");
    if ((element as HTMLInputElement).required || aria("aria-required") === "true") states.push("required");
    const invalid = aria("aria-invalid");
    if (invalid !== null && invalid !== "false" && invalid !== "") states.push("invalid");
    if (aria("aria-busy") === "true") states.push("busy");
    if (aria("aria-modal") === "true" || (tag === "dialog" && element.matches(":modal"))) states.push("modal");
    return states;
  };

  const valueOf = (element: Element, role: string): string | number | undefined => {
    const tag = element.localName;
    if (tag === "select") {
      const { selectedOptions } = element as HTMLSelectElement;
      return names.cut(Array.from(selectedOptions, (option) => names.squash(option.label)).join(", "));
    }
    if (dom.isSecret(element)) return undefined;
    if (tag === "textarea") return names.cut((element as HTMLTextAreaElement).value);
    if (tag === "input") {
      const input = element as HTMLInputElement;
      const { type } = input;
      if (/^(button|submit|reset|image|checkbox|radio|hidden)$/.test(type)) return undefined;
      if (type === "range") return input.valueAsNumber;
      if (type === "file") return Array.from(input.files || [], (file) => file.name).join(", ");
      return names.cut(input.value);
    }
    if (tag === "progress" || tag === "meter") return (element as HTMLProgressElement).value;
    if (/^(slider|spinbutton|progressbar|meter|scrollbar)$/.test(role)) {
      const text = element.getAttribute("aria-valuetext");
      if (text) return names.cut(text);
      const now = element.getAttribute("aria-valuenow");
      return now === null || now === "" ? undefined : Number(now);
    }
    if (isEditingHost(element) || ((role === "textbox" || role === "searchbox") && element instanceof HTMLElement)) {
      return names.cut(names.squash((element as HTMLElement).innerText));
    }
    return undefined;
  };

  const rangeOf = (element: Element, role: string): { min: number; max: number; step?: number } | undefined => {
    if (role !== "slider" && role !== "spinbutton") return undefined;
    const number = (a: string, b: string, otherwise: number): number => {
      const text = element.getAttribute(a) || element.getAttribute(b);
      return text === null || text === "" || !Number.isFinite(Number(text)) ? otherwise : Number(text);
    };
    const isRange = element instanceof HTMLInputElement && element.type === "range";
    const min = number("min", "aria-valuemin", isRange ? 0 : Number.NaN);
    const max = number("max", "aria-valuemax", isRange ? 100 : Number.NaN);
    return Number.isNaN(min) || Number.isNaN(max) ? undefined : { min, max };
  };

  const titleOf = (element: Element): string => {
    const role = roles.roleOf(element);
    const text = names.nameOf(element) || names.squash(element.textContent || "").slice(0, 80);
    const shown = role === "generic" || role === "none" ? element.localName : role;
    return text === "" ? shown : `${shown} ${JSON.stringify(text.slice(0, 80))}`;
  };

  return {
    /** Many questions follow, and the document does not change meanwhile. */
    startBulk: (): void => {
      inertRoots = new Map();
    },
    endBulk: (): void => {
      inertRoots = undefined;
    },
    isEditable,
    isEditingHost,
    isDisabled,
    statesOf,
    valueOf,
    rangeOf,
    titleOf,
    isOpen,
  };
}
