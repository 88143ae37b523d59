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
      "scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist " +
      "tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem none presentation",
  );
  const tags: Record<string, string> = {
    article: "article",
    aside: "complementary",
    blockquote: "blockquote",
    button: "button",
    canvas: "canvas",
    caption: "caption",
    code: "code",
    datalist: "listbox",
    dd: "definition",
    details: "group",
    dialog: "dialog",
    dt: "term",
    embed: "embed",
    fieldset: "group",
    figure: "figure",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hr: "separator",
    iframe: "iframe",
    frame: "iframe",
    li: "listitem",
    main: "main",
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
    search: "search",
    summary: "disclosure",
    table: "table",
    tbody: "rowgroup",
    textarea: "textbox",
    tfoot: "rowgroup",
    thead: "rowgroup",
    time: "time",
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
    element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") || element.hasAttribute("title");
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

  const implicit = (element: Element): string => {
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
      case "svg":
        return isNamed(element) || element.querySelector(":scope > title") ? "image" : "none";
      case "section":
        return isNamed(element) ? "region" : "generic";
      case "form":
        return isNamed(element) ? "form" : "generic";
      case "header":
        return isInLandmark(element) ? "generic" : "banner";
      case "footer":
        return isInLandmark(element) ? "generic" : "contentinfo";
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

  const roleOf = (element: Element): string => {
    const given = element.hasAttributes() ? element.getAttribute("role") : null;
    if (given) {
      for (const word of given.toLowerCase().split(/\s+/)) {
        if (!known.has(word)) continue;
        // Whatever can be focused is not presentational, whatever it claims.
        if ((word === "none" || word === "presentation") && isFocusable(element)) break;
        if (word === "img") return "image";
        return word === "presentation" ? "none" : word;
      }
    }
    return implicit(element);
  };

  return { roleOf, isInteractive: (role: string): boolean => interactive.has(role), isFocusable };
}
