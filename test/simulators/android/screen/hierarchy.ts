import type { Phone, Window } from "./phone.ts";
import { clip, type Rect, type View } from "./view.ts";

const header = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/** As AccessibilityNodeInfoDumper of Android 14 writes it: one line, these attributes in this order. */
export function dumpActive(phone: Phone, isCompressed: boolean): string | undefined {
  const [active] = phone.windows();
  return active && `${header}<hierarchy rotation="${phone.rotation}">${nodes(active, phone, isCompressed)}</hierarchy>`;
}

/** What every display shows. */
export function dumpWindows(phones: readonly Phone[], isCompressed: boolean): string | undefined {
  const displays = phones.flatMap((phone, id) => {
    const windows = windowsOf(phone, isCompressed);
    return windows === "" ? [] : [`<display id="${id}">${windows}</display>`];
  });
  return displays.length === 0 ? undefined : `${header}<displays>${displays.join("")}</displays>`;
}

function windowsOf(phone: Phone, isCompressed: boolean): string {
  const windows = phone.windows();
  const parts = windows.map((window, index) => {
    const { x, y, width, height } = window.bounds;
    const attributes = {
      index,
      id: 100 + index,
      title: window.title,
      type: window.type,
      layer: windows.length - index,
      active: index === 0,
      focused: index === 0,
      bounds: `[${x},${y}][${x + width},${y + height}]`,
    };
    const content = nodes(window, phone, isCompressed);
    return `<window${written(attributes)}><hierarchy rotation="${phone.rotation}">${content}</hierarchy></window>`;
  });
  return parts.join("");
}

function nodes(window: Window, phone: Phone, isCompressed: boolean): string {
  const display = { x: 0, y: 0, ...phone.size };
  return known(window.views, isCompressed)
    .map((view, index) => node(view, index, { window, isCompressed, within: display }))
    .join("");
}

interface Place {
  readonly window: Window;
  readonly isCompressed: boolean;
  readonly within: Rect;
}

function node(view: View, index: number, place: Place): string {
  const visible = clip(view.bounds, place.within);
  if (!visible) return "";
  const [left, top, right, bottom] = [
    Math.round(visible.x),
    Math.round(visible.y),
    Math.round(visible.x + visible.width),
    Math.round(visible.y + visible.height),
  ];
  const isClickable = view.onTap !== undefined;
  const attributes = {
    ...(isNotFriendly(view) ? { NAF: true } : {}),
    index,
    text: view.text ?? "",
    "resource-id": view.id ?? "",
    class: view.type,
    package: place.window.package,
    "content-desc": view.description ?? "",
    checkable: view.isCheckable ?? false,
    checked: view.isChecked ?? false,
    clickable: isClickable,
    enabled: view.isEnabled ?? true,
    focusable: view.isFocusable ?? false,
    focused: view.isFocused ?? false,
    scrollable: view.isScrollable ?? false,
    "long-clickable": view.onLongPress !== undefined,
    password: view.isPassword ?? false,
    selected: view.isSelected ?? false,
    bounds: `[${left},${top}][${right},${bottom}]`,
  };
  const inner = known(view.children ?? [], place.isCompressed)
    .map((child, position) => node(child, position, { ...place, within: visible }))
    .join("");
  return inner === "" ? `<node${written(attributes)} />` : `<node${written(attributes)}>${inner}</node>`;
}

/** Without decoration, its content moves up, as for a service that asks only for important views. */
function known(views: readonly View[], isCompressed: boolean): View[] {
  return views
    .filter((view) => view.isOnlyPainted !== true)
    .flatMap((view) =>
      isCompressed && view.isDecoration === true && view.onTap === undefined
        ? known(view.children ?? [], true)
        : [view],
    );
}

/** "Not accessibility friendly": enabled and clickable, but nothing below it says what it is. */
function isNotFriendly(view: View): boolean {
  return view.onTap !== undefined && view.isEnabled !== false && !hasWords(view);
}

const hasWords = (view: View): boolean =>
  (view.text ?? "") !== "" || (view.description ?? "") !== "" || (view.children ?? []).some(hasWords);

function written(attributes: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
}

const escaped = (text: string): string => (isPlain.test(text) ? text : escapedSlowly(text));

// True for nearly every attribute: a device does not spend time on them either.
const isPlain = /^[\w .,:/[\]-]*$/;

const escapedSlowly = (text: string): string =>
  text
    .replace(/(?![\t\n\r])\p{Cc}/gu, ".")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;")
    .replaceAll("\t", "&#9;");
