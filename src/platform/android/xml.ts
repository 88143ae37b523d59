import { ToolError } from "../../base/errors.ts";

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Index of the parent in the list; -1 for the root. */
  readonly parent: number;
}

// A screen has some hundreds of elements; these limits stop anything that is not a screen.
const largestText = 16 * 1024 * 1024;
const mostElements = 30_000;
const deepest = 300;
const longestAttribute = 20_000;

const broken = (why: string): ToolError =>
  new ToolError("ax_error", `The device's UI dump cannot be read: ${why}.`, {
    hint: "Try again, or use a screenshot.",
  });

/** The elements below one of them, which becomes the root. */
export function below(elements: readonly XmlElement[], root: number): readonly XmlElement[] {
  const places = new Map([[root, -1]]);
  const found: XmlElement[] = [];
  for (let at = root + 1; at < elements.length; at++) {
    const each = elements[at];
    const parent = each && places.get(each.parent);
    // Parents come first, so the first element that is not below it marks the end.
    if (!each || parent === undefined) break;
    places.set(at, found.length);
    found.push({ ...each, parent });
  }
  return found;
}

type Tag = Pick<XmlElement, "name" | "attributes"> & { readonly isEmpty: boolean; readonly length: number };

/**
 * The elements of a UI dump, parents first. Reads what uiautomator writes (elements, attributes, the five entities
 * and character references) and refuses all other XML: the text comes from apps, and document types, custom entities
 * and the like are only good for attacks. When a screen has changed, most tags are identical to those in the previous
 * dump and are not parsed again.
 */
export class XmlReader {
  #known: ReadonlyMap<string, Tag> = new Map();

  read(text: string): readonly XmlElement[] {
    const seen = new Map<string, Tag>();
    const found = readElements(text, (at) => {
      // If this is not the whole tag (">" may appear in an attribute), it will not be found among the known ones.
      const whole = text.slice(at, text.indexOf(">", at) + 1);
      const tag = this.#known.get(whole) ?? readTag(text, at + 1);
      seen.set(tag.length === whole.length ? whole : text.slice(at, at + tag.length), tag);
      return tag;
    });
    this.#known = seen;
    return found;
  }
}

function readElements(text: string, tagAt: (at: number) => Tag): readonly XmlElement[] {
  if (text.length > largestText) throw broken(`${text.length} characters`);
  const found: XmlElement[] = [];
  const open: number[] = [];
  let at = 0;
  for (;;) {
    at = text.indexOf("<", at);
    if (at < 0) break;
    if (text.startsWith("<?", at)) {
      const end = text.indexOf("?>", at);
      if (end < 0) throw broken("a declaration without an end");
      at = end + 2;
      continue;
    }
    if (text.startsWith("<!", at)) throw broken("it holds a document type, comment or CDATA section");
    if (text.startsWith("</", at)) {
      const end = text.indexOf(">", at);
      const last = open.pop();
      const name = end < 0 ? "" : text.slice(at + 2, end).trim();
      if (last === undefined || found[last]?.name !== name) throw broken(`"</${name.slice(0, 40)}>" closes nothing`);
      at = end + 1;
      continue;
    }
    const { name, attributes, isEmpty, length } = tagAt(at);
    found.push({ name, attributes, parent: open.at(-1) ?? -1 });
    if (found.length > mostElements) throw broken(`more than ${mostElements} elements`);
    if (!isEmpty) open.push(found.length - 1);
    if (open.length > deepest) throw broken(`more than ${deepest} levels`);
    at += length;
  }
  if (open.length > 0) throw broken("it ends in the middle");
  return found;
}

const nameAt = /[A-Za-z_][\w.:-]*/y;

function readTag(text: string, start: number): Tag {
  const take = (from: number): string => {
    nameAt.lastIndex = from;
    return nameAt.exec(text)?.[0] ?? "";
  };
  const skip = (from: number): number => {
    let to = from;
    while (text.charCodeAt(to) <= 0x20) to++;
    return to;
  };
  const name = take(start);
  if (name === "") throw broken("an element without a name");
  const attributes = new Map<string, string>();
  let at = skip(start + name.length);
  for (;;) {
    if (text[at] === ">") return { name, attributes, isEmpty: false, length: at + 2 - start };
    if (text.startsWith("/>", at)) return { name, attributes, isEmpty: true, length: at + 3 - start };
    const key = take(at);
    const equals = skip(at + key.length);
    const opening = skip(equals + 1);
    const mark = text[opening];
    if (key === "" || text[equals] !== "=" || (mark !== '"' && mark !== "'")) throw broken(`a bad tag <${name}>`);
    const closing = text.indexOf(mark, opening + 1);
    if (closing < 0) throw broken("an attribute without an end");
    if (attributes.has(key)) throw broken(`"${key}" twice in <${name}>`);
    attributes.set(key, decode(text.slice(opening + 1, Math.min(closing, opening + 1 + longestAttribute))));
    at = skip(closing + 1);
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.includes("&")
    ? text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, decimal, hex, name) => {
        if (typeof name === "string") return entities[name.toLowerCase()] ?? whole;
        const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
      })
    : text;
