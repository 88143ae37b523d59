/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type ClosedRoots = ReturnType<typeof makeClosedRoots>;

/** Notes which elements may hide a closed shadow root, for the browser to look into. */
export function makeClosedRoots(dom: Dom) {
  const hosts = new Set(
    "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
  );
  const probed = new WeakSet<Element>();
  let suspects: Element[] = [];

  const suspect = (element: Element): void => {
    if (probed.has(element) || dom.shadowOf(element)) return;
    const isCustom = element.localName.indexOf("-") > 0;
    if (isCustom ? !element.matches(":defined") : !hosts.has(element.localName)) return;
    if (!isCustom) {
      // A plain element with a closed root shows none of its own children; only an empty one that is drawn is worth asking.
      if (element.firstChild || (element as HTMLElement).offsetHeight < 8 || (element as HTMLElement).offsetWidth < 8)
        return;
    }
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
