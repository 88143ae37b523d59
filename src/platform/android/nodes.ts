import { intersect, screenPoint, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type { NodeActionName, NodeState, UiNode } from "../../base/node.ts";
import type { Role } from "../../base/roles.ts";
import type { XmlElement } from "./xml.ts";

/** An element of a dump, before it has an identity. */
export interface DumpNode extends Omit<UiNode, "runtimeId" | "parent" | "pid" | "windowId"> {
  readonly parent: number;
  readonly package: string;
  /** Its path and index among similar elements: "FrameLayout.0/LinearLayout.1#title". */
  readonly path: string;
  readonly isScrollable: boolean;
  readonly bounds: Rect;
}

export interface Dump {
  readonly rotation: number | undefined;
  readonly nodes: readonly DumpNode[];
  /** The package that most of the screen belongs to. */
  readonly package: string;
}

const classes: readonly (readonly [RegExp, Role])[] = [
  [/(EditText|AutoCompleteTextView|TextInputEditText|SearchAutoComplete|ExtractEditText)$/, "textbox"],
  [/(Switch|SwitchCompat|SwitchMaterial)$/, "switch"],
  [/(CheckBox|CheckedTextView)$/, "checkbox"],
  [/(RadioButton)$/, "radio"],
  [/(ToggleButton)$/, "togglebutton"],
  [/(Spinner)$/, "combobox"],
  [/(SeekBar|RatingBar|Slider)$/, "slider"],
  [/(ProgressBar)$/, "progressbar"],
  [/(NumberPicker)$/, "spinbutton"],
  [/(TabWidget|TabLayout)$/, "tablist"],
  [/(ActionBar\$Tab|TabView)$/, "tab"],
  [/(WebView)$/, "document"],
  [/(ListView|RecyclerView|GridView)$/, "list"],
  [/(ScrollView)$/, "scrollarea"],
  [/(Toolbar|ActionBar)$/, "toolbar"],
  [/(MenuItem|ActionMenuItemView)$/, "menuitem"],
  [/(Button|ImageButton|Chip|FloatingActionButton)$/, "button"],
  [/(ImageView|Image)$/, "image"],
  [/(SurfaceView|TextureView|GLSurfaceView)$/, "canvas"],
  [/(TextView|Chronometer|TextClock)$/, "text"],
];

const layouts = /(Layout|ViewGroup|ViewPager2?|ViewAnimator|ViewSwitcher|Gallery|DrawerLayout)$/;

/** The elements that have an area, in handsight's vocabulary. Parents first, as in the dump. */
export function readNodes(elements: readonly XmlElement[]): Dump {
  const nodes: DumpNode[] = [];
  // The new index of each element of the dump; -1 for those left out, whose children move up to their parent.
  const places: number[] = [];
  const ordinals = new Map<string, number>();
  let rotation: number | undefined;
  for (const { name, attributes, parent } of elements) {
    const above = parent < 0 ? -1 : (places[parent] ?? -1);
    if (name !== "node") {
      const turned = Number(attributes.get("rotation") ?? Number.NaN);
      if (Number.isInteger(turned)) rotation ??= turned;
      places.push(above);
      continue;
    }
    const bounds = readBounds(attributes.get("bounds") ?? "");
    if (!bounds) {
      places.push(above);
      continue;
    }
    const container = above < 0 ? undefined : nodes[above];
    const node = toNode(attributes, bounds, above, container);
    const like = `${container?.path ?? ""}/${shortClass(node.nativeRole)}${node.automationId ? `#${node.automationId}` : ""}`;
    const ordinal = ordinals.get(like) ?? 0;
    ordinals.set(like, ordinal + 1);
    places.push(nodes.length);
    nodes.push({ ...node, path: `${like}.${ordinal}` });
  }
  const named = nodes.map((node, index) => ({
    ...node,
    name: (isStateWord(node) ? "" : node.name) || nameFromInside(nodes, index) || nameFromBeside(nodes, index),
  }));
  return { rotation, package: mainPackage(named), nodes: placeClicks(named) };
}

function toNode(
  attributes: ReadonlyMap<string, string>,
  bounds: Rect,
  parent: number,
  container: DumpNode | undefined,
): DumpNode {
  const get = (key: string): string => attributes.get(key) ?? "";
  const is = (key: string): boolean => attributes.get(key) === "true";
  const nativeRole = get("class") || "android.view.View";
  const role = roleOf(nativeRole, attributes, container);
  const isField = role === "textbox";
  const text = get("text");
  const label = get("content-desc");
  const hint = get("hint");
  const name = isField ? label || hint : text || label;
  // For a password, only its length.
  const content = is("password") ? "•".repeat(text.length) : text;
  const value = isField && text !== hint ? content : undefined;
  const description = isField || text === "" || label === "" || label === text ? undefined : label;
  return {
    parent,
    path: "",
    package: get("package"),
    role,
    nativeRole,
    name: name.trim(),
    automationId: get("resource-id").replace(/^.*:id\//, "") || undefined,
    value,
    description,
    placeholder: isField && hint !== "" ? hint : undefined,
    bounds,
    isScrollable: is("scrollable"),
    states: statesOf(role, is),
    actions: actionsOf(role, is),
  };
}

// A screen has a few dozen classes; an app with more than this makes them up.
const mostClasses = 1_000;
const knownClasses = new Map<string, Role | undefined>();

function roleOfClass(name: string): Role | undefined {
  if (knownClasses.has(name)) return knownClasses.get(name);
  const role = classes.find(([pattern]) => pattern.test(name))?.[1];
  if (knownClasses.size >= mostClasses) knownClasses.clear();
  knownClasses.set(name, role);
  return role;
}

function roleOf(nativeRole: string, attributes: ReadonlyMap<string, string>, container: DumpNode | undefined): Role {
  const is = (key: string): boolean => attributes.get(key) === "true";
  const known = roleOfClass(nativeRole);
  if (is("password")) return "textbox";
  if (known === "text" || known === "image" || known === undefined) {
    // Toolkits that draw everything themselves call every element a View.
    if (known === undefined && is("checkable")) return "checkbox";
    const isInList = container?.role === "list" || container?.isScrollable === true;
    if (is("clickable")) return isInList && known !== "image" ? "listitem" : "button";
    if (isInList && layouts.test(nativeRole)) return "listitem";
    if (known !== undefined) return known;
    if (is("scrollable")) return "scrollarea";
    const hasText = (attributes.get("text") ?? "") !== "" || (attributes.get("content-desc") ?? "") !== "";
    return layouts.test(nativeRole) || !hasText ? "group" : "text";
  }
  return known;
}

function statesOf(role: Role, is: (key: string) => boolean): readonly NodeState[] {
  const states: (NodeState | false)[] = [
    is("enabled") && "enabled",
    "showing",
    is("focused") && "focused",
    is("focusable") && "focusable",
    role === "textbox" && "editable",
    is("password") && "password",
    is("checkable") && "checkable",
    is("checked") && "checked",
    is("selected") && "selected",
  ];
  return states.filter((state) => state !== false);
}

function actionsOf(role: Role, is: (key: string) => boolean): readonly NodeActionName[] {
  if (role === "textbox") return ["focus", "set_value"];
  const actions: (NodeActionName | false)[] = [
    is("checkable") && "toggle",
    is("clickable") && !is("checkable") && "press",
    is("long-clickable") && "menu",
  ];
  return actions.filter((action) => action !== false);
}

/** Undefined for an element without area: it is off the screen, or empty. */
function readBounds(text: string): Rect | undefined {
  const [, left, top, right, bottom] = /^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$/.exec(text) ?? [];
  if (left === undefined || top === undefined) return undefined;
  const [x, y] = [Number(left), Number(top)];
  const rect = { x, y, width: Number(right) - x, height: Number(bottom) - y };
  return rect.width > 0 && rect.height > 0 ? rect : undefined;
}

const shortClass = (name: string): string => name.slice(name.lastIndexOf(".") + 1);
const longestName = 200;

/** A row is named after the text in it. */
function nameFromInside(nodes: readonly DumpNode[], index: number): string {
  const node = nodes[index];
  if (!node || node.role === "textbox" || !["button", "listitem", "tab", "checkbox", "switch"].includes(node.role))
    return "";
  const texts: string[] = [];
  const inside = new Set([index]);
  for (let at = index + 1; at < nodes.length; at++) {
    const each = nodes[at];
    // Parents come first, so the first element that is not below it marks the end.
    if (!each || !inside.has(each.parent)) break;
    inside.add(at);
    if (each.name !== "" && each.role !== "textbox" && !isStateWord(each)) texts.push(each.name);
  }
  return texts.join(", ").slice(0, longestName);
}

/** Switches say whether they are on, not what they switch. */
const isStateWord = ({ name, states }: DumpNode): boolean => states.includes("checkable") && /^(on|off)$/i.test(name);

/** A switch without a name is named after the text beside it. */
function nameFromBeside(nodes: readonly DumpNode[], index: number): string {
  const node = nodes[index];
  if (!node?.states.includes("checkable")) return "";
  return nodes.find((each, at) => at !== index && each.parent === node.parent && each.role === "text")?.name ?? "";
}

function mainPackage(nodes: readonly DumpNode[]): string {
  return nodes.find((node) => node.package !== "")?.package ?? "";
}

const takesTouch = ({ actions }: DumpNode): boolean => actions.length > 0;

/** Finds a point where a touch reaches the element and nothing on top of it. */
function placeClicks(nodes: readonly DumpNode[]): readonly DumpNode[] {
  const targets = nodes.map((node, index) => ({ node, index })).filter(({ node }) => takesTouch(node));
  return nodes.map((node, index) => {
    if (!takesTouch(node)) return node;
    const above = targets.filter((each) => each.index > index && intersect(each.node.bounds, node.bounds));
    if (above.length === 0) return node;
    const free = candidates(node.bounds).find(
      (point) => !above.some(({ node: { bounds } }) => isInside(bounds, point)),
    );
    if (free) return { ...node, clickPoint: free };
    const cover = above.findLast((each) => isBesideAndOver(nodes, index, each.index));
    return cover ? { ...node, coveredBy: describe(cover.node) } : node;
  });
}

/** Hides all of an element; what is inside the element belongs to it. */
function isBesideAndOver(nodes: readonly DumpNode[], index: number, over: number): boolean {
  const [under, cover] = [nodes[index], nodes[over]];
  if (!under || !cover || !candidates(under.bounds).every((point) => isInside(cover.bounds, point))) return false;
  let at = over;
  while (at > index) at = nodes[at]?.parent ?? -1;
  return at !== index;
}

const describe = ({ role, name }: DumpNode): string => (name === "" ? role : `${role} ${JSON.stringify(name)}`);

function candidates({ x, y, width, height }: Rect): readonly ScreenPoint[] {
  const at = (across: number, down: number): ScreenPoint =>
    screenPoint(Math.floor(x + width * across), Math.floor(y + height * down));
  return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.5), at(0.9, 0.5)];
}

const isInside = ({ x, y, width, height }: Rect, point: ScreenPoint): boolean =>
  point.x >= x && point.y >= y && point.x < x + width && point.y < y + height;
