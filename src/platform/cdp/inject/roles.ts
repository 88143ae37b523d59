/// <reference lib="dom" />

export type Roles = ReturnType<typeof makeRoles>;

/** The ARIA role of an element, with tags mapped as in HTML-AAM. */
export function makeRoles() {
  const words = (text: string): Set<string> => new Set(text.split(" "));
  const known = words(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
      "complementary contentinfo definition deletion dialog document emphasis feed figure form generic grid gridcell group " +
      "heading img image insertion link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox " +
      "menuitemradio meter navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader " +
      "scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript superscript " +
      "switch tab table tablist tabpanel term textbox timer toolbar tooltip tree treegrid treeitem none presentation " +
      "directory mark suggestion graphics-document graphics-object graphics-symbol",
  );
  const synonyms: Record<string, string> = { img: "image", presentation: "none", directory: "list" };
  const tags: Record<string, string> = {
    address: "group",
    article: "article",
    aside: "complementary",
    blockquote: "blockquote",
    button: "button",
    canvas: "canvas",
    caption: "caption",
    code: "code",
    datalist: "listbox",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dir: "list",
    dt: "term",
    em: "emphasis",
    embed: "embed",
    fieldset: "group",
    figure: "figure",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hgroup: "group",
    hr: "separator",
    iframe: "iframe",
    frame: "iframe",
    ins: "insertion",
    li: "listitem",
    main: "main",
    mark: "mark",
    math: "math",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    object: "object",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    s: "deletion",
    search: "search",
    strong: "strong",
    sub: "subscript",
    sup: "superscript",
    table: "table",
    textarea: "textbox",
    tfoot: "rowgroup",
    thead: "rowgroup",
    ul: "list",
    video: "video",
    audio: "audio",
  };
  const inputs: Record<string, string> = {
    button: "button",
    checkbox: "checkbox",
    color: "color",
    date: "date",
    "datetime-local": "datetime",
    file: "file",
    image: "button",
    month: "month",
    number: "spinbutton",
    radio: "radio",
    range: "slider",
    reset: "button",
    search: "searchbox",
    submit: "button",
    time: "time",
    week: "week",
  };
  const interactive = words(
    "button checkbox color combobox date datetime disclosure file gridcell link listbox menuitem menuitemcheckbox " +
      "menuitemradio month option radio scrollbar searchbox slider spinbutton switch tab textbox time treeitem week",
  );
  const landmarks = "article,aside,main,nav,section";

  const isNamed = (element: Element): boolean =>
    element.hasAttribute("aria-label") ||
    element.hasAttribute("aria-labelledby") ||
    element.hasAttribute("title") ||
    (element instanceof SVGElement && element.querySelector(":scope > title") !== null);
  const isInLandmark = (element: Element): boolean =>
    element.parentElement !== null &&
    element.parentElement.closest(`${landmarks},[role=article],[role=main],[role=region],[role=navigation]`) !== null;

  const inputRole = (input: HTMLInputElement): string => {
    const type = input.type;
    if (type === "checkbox" && input.hasAttribute("switch")) return "switch";
    const listed = input.hasAttribute("list") && input.list;
    if (listed && /^(text|search|tel|url|email)$/.test(type)) return "combobox";
    return inputs[type] || "textbox";
  };

  const cellRole = (cell: Element): string => {
    const table = cell.closest("table");
    const grid = table && /^(grid|treegrid)$/.test(table.getAttribute("role") || "");
    if (cell.localName === "td") return grid ? "gridcell" : "cell";
    const scope = cell.getAttribute("scope");
    if (scope === "row" || scope === "rowgroup") return "rowheader";
    if (scope === "col" || scope === "colgroup") return "columnheader";
    const row = cell.parentElement;
    const isLeading = row !== null && row.querySelector(":scope > td") !== null;
    return isLeading ? "rowheader" : "columnheader";
  };

  /** Whether the table has a head or a foot; if not, its body is the table. */
  const hasOtherRows = (body: Element): boolean =>
    body.parentElement !== null && body.parentElement.querySelector(":scope > thead,:scope > tfoot") !== null;

  const drawing = (element: Element): string => {
    switch (element.localName) {
      case "a":
        return element.hasAttribute("href") || element.hasAttribute("xlink:href") ? "link" : "generic";
      case "svg":
        return isNamed(element) ? "image" : "none";
      case "image":
        return "image";
      case "g":
        return isNamed(element) ? "group" : "generic";
      case "text":
      case "tspan":
      case "textPath":
      case "foreignObject":
        return "generic";
      default:
        return isNamed(element) ? "graphics-symbol" : "generic";
    }
  };

  const implicit = (element: Element): string => {
    if (element instanceof SVGElement) return drawing(element);
    const tag = element.localName;
    switch (tag) {
      case "a":
      case "area":
        return element.hasAttribute("href") ? "link" : "generic";
      case "input":
        return inputRole(element as HTMLInputElement);
      case "select": {
        const select = element as HTMLSelectElement;
        return select.multiple || select.size > 1 ? "listbox" : "combobox";
      }
      case "img":
        return element.getAttribute("alt") === "" && !isNamed(element) ? "none" : "image";
      case "section":
        return isNamed(element) ? "region" : "generic";
      case "form":
        return isNamed(element) ? "form" : "generic";
      case "header":
        return isInLandmark(element) ? "sectionheader" : "banner";
      case "footer":
        return isInLandmark(element) ? "sectionfooter" : "contentinfo";
      case "tbody":
        return hasOtherRows(element) || isNamed(element) ? "rowgroup" : "generic";
      case "td":
      case "th":
        return cellRole(element);
      case "tr":
        return "row";
      case "summary":
        return element.parentElement && element.parentElement.localName === "details" ? "disclosure" : "generic";
      default:
        return tags[tag] || "generic";
    }
  };

  const isFocusable = (element: Element): boolean =>
    (element as HTMLElement).tabIndex >= 0 || element.hasAttribute("tabindex");

  const global = words(
    "aria-atomic aria-busy aria-controls aria-current aria-describedby aria-description aria-details aria-flowto " +
      "aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription",
  );
  const isGlobal = (attribute: string): boolean => global.has(attribute);

  const roleOf = (element: Element): string => {
    const given = element.hasAttributes() ? element.getAttribute("role") : null;
    if (given) {
      for (const word of given.toLowerCase().split(/\s+/)) {
        if (!known.has(word)) continue;
        const role = synonyms[word] || word;
        // Whatever can be focused or says something about itself is not presentational, whatever it claims.
        if (role === "none" && (isFocusable(element) || element.getAttributeNames().some(isGlobal))) break;
        // Without a name these are no places to go to.
        if ((role === "region" || role === "form") && !isNamed(element)) continue;
        return role;
      }
    }
    return implicit(element);
  };

  return { roleOf, isNamed, isInteractive: (role: string): boolean => interactive.has(role), isFocusable };
}
