/** One vocabulary of roles across platforms. A backend maps its native roles onto these. */
export const roles = [
  "application",
  "window",
  "dialog",
  "alert",
  "group",
  "toolbar",
  "statusbar",
  "menubar",
  "menu",
  "menuitem",
  "button",
  "togglebutton",
  "checkbox",
  "radio",
  "switch",
  "link",
  "textbox",
  "combobox",
  "spinbutton",
  "slider",
  "progressbar",
  "scrollbar",
  "scrollarea",
  "tablist",
  "tab",
  "list",
  "listitem",
  "tree",
  "treeitem",
  "table",
  "row",
  "cell",
  "columnheader",
  "rowheader",
  "text",
  "heading",
  "paragraph",
  "image",
  "canvas",
  "document",
  "separator",
  "tooltip",
  "unknown",
] as const;
export type Role = (typeof roles)[number];

/** What callers from other platforms say, in lower case without spaces, dashes and underscores. */
const aliases: ReadonlyMap<string, Role> = new Map(
  Object.entries<Role>({
    app: "application",
    frame: "window",
    form: "window",
    popup: "dialog",
    pane: "group",
    panel: "group",
    pushbutton: "button",
    splitbutton: "button",
    toggle: "togglebutton",
    check: "checkbox",
    checkmenuitem: "menuitem",
    radiobutton: "radio",
    radiomenuitem: "menuitem",
    edit: "textbox",
    entry: "textbox",
    input: "textbox",
    textfield: "textbox",
    textarea: "textbox",
    textview: "textbox",
    searchbox: "textbox",
    searchfield: "textbox",
    password: "textbox",
    passwordbox: "textbox",
    combo: "combobox",
    dropdown: "combobox",
    popupbutton: "combobox",
    select: "combobox",
    spinner: "spinbutton",
    stepper: "spinbutton",
    progress: "progressbar",
    scrollview: "scrollarea",
    tabbar: "tablist",
    pagetab: "tab",
    tabitem: "tab",
    pagetablist: "tablist",
    listbox: "list",
    item: "listitem",
    option: "listitem",
    outline: "tree",
    grid: "table",
    datagrid: "table",
    tablerow: "row",
    dataitem: "row",
    tablecell: "cell",
    gridcell: "cell",
    header: "columnheader",
    headeritem: "columnheader",
    hyperlink: "link",
    label: "text",
    static: "text",
    statictext: "text",
    img: "image",
    icon: "image",
    picture: "image",
    webarea: "document",
  }),
);

// What people call a button may be one that stays down, or a switch.
const wider: ReadonlyMap<string, readonly string[]> = new Map([["button", ["togglebutton", "switch"]]]);

/** Whether an element with role `own` counts when somebody asks for `wanted`. */
export function isRole(own: string, wanted: string): boolean {
  return own === wanted || wider.get(wanted)?.includes(own) === true;
}

/** The role that a caller means by this word, or undefined. */
export function roleNamed(word: string): Role | undefined {
  const plain = word.toLowerCase().replaceAll(/[\s_-]/g, "");
  return (roles as readonly string[]).includes(plain) ? (plain as Role) : aliases.get(plain);
}

/** Roles of pages that can be pressed by what they are. Anything else may have a listener. */
export const pressablePageRoles: ReadonlySet<string> = new Set([
  "button",
  "link",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "tab",
  "treeitem",
  "disclosure",
  "clickable",
  "option",
  "gridcell",
  // Its centre may be under a sticky header; a press looks for a point that reaches it.
  "textbox",
  "searchbox",
  "combobox",
  "spinbutton",
]);
