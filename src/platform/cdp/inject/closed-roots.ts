/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type ClosedRoots = ReturnType<typeof makeClosedRoots>;

/** Notes which elements may hide a closed shadow root, for the browser to check. */
export function makeClosedRoots(dom: Dom) {
  const hosts = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const probed = new WeakSet<Element>();
  let suspects: Element[] = [];

  const isTiny = ({ offsetHeight, offsetWidth }: HTMLElement): boolean => offsetHeight < 8 || offsetWidth < 8;

  const suspect = (element: Element): void => {
    const tag = element.localName;
    const isCustom = tag.indexOf("-") > 0;
    // A plain element with a closed root does not show its own children, so only an empty one that is visible is
    // worth checking.
    if (!isCustom && (!hosts.has(tag) || element.firstChild)) return;
    if (probed.has(element) || dom.shadowOf(element)) return;
    if (isCustom ? !element.matches(":defined") : isTiny(element as HTMLElement)) return;
    suspects.push(element);
  };

  return {
    suspect,
    forget: (): void => {
      suspects = [];
    },
    count: (): number => suspects.length,
    take: (): Element[] => {
      const taken = suspects.slice(0, 300);
      for (const each of taken) probed.add(each);
      return taken;
    },
  };
}
