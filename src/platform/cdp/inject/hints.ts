/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type Hints = ReturnType<typeof makeHints>;

/** What an element without a name looks like: the file of its picture, its class, its shape, its colour. */
export function makeHints(dom: Dom) {
  const shapes = new Set("circle ellipse rect line polyline polygon path".split(" "));
  const fileOf = (address: string): string => {
    if (address.startsWith("data:")) return "";
    const file = address.split(/[?#]/)[0] || "";
    return file.slice(file.lastIndexOf("/") + 1).slice(0, 60);
  };
  const pictureOf = (element: Element): string => {
    const image = element.localName === "img" ? element : element.querySelector("img[src],use");
    const address =
      image && (image.getAttribute("src") || image.getAttribute("href") || image.getAttribute("xlink:href"));
    if (address) return address[0] === "#" ? address.slice(1) : fileOf(address);
    const drawn = /url\("?([^")]+)"?\)/.exec(getComputedStyle(element).backgroundImage);
    return drawn && drawn[1] ? fileOf(drawn[1]) : "";
  };
  const classOf = (element: Element): string => {
    const own = element.getAttribute("class") || "";
    const inner = own === "" && element.childElementCount === 1 ? element.firstElementChild : null;
    const text = own || (inner && inner.getAttribute("class")) || "";
    // Classes that a tool has made up, such as "css-1q2w3e", say nothing.
    const told = text.split(/\s+/).filter((word) => /^[a-z][a-z_-]{2,}$/i.test(word));
    return told.slice(0, 3).join(" ");
  };
  /** Of a box that is filled: #rrggbb. */
  const colourOf = (element: Element): string => {
    const [red, green, blue, alpha = 1] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) || []).map(
      Number,
    );
    if (red === undefined || green === undefined || blue === undefined || alpha < 0.5) return "";
    return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
  };
  const paintOf = (element: Element): string => {
    const fill = element.getAttribute("fill") || "";
    return fill === "none" || fill === "" ? element.getAttribute("stroke") || "" : fill;
  };
  const shapeOf = (element: Element): string =>
    shapes.has(element.localName) ? `${paintOf(element)} ${element.localName}`.trim() : "";

  return {
    hintOf: (element: Element): string => {
      if (dom.isHiddenFrame(element)) return "";
      const shape = shapeOf(element);
      if (shape !== "") return `shape: ${shape}`;
      const picture = pictureOf(element);
      if (picture !== "") return `picture: ${picture}`;
      const told = classOf(element);
      if (told !== "") return `class: ${told}`;
      const colour = colourOf(element);
      return colour === "" ? "" : `colour: ${colour}`;
    },
  };
}
