/// <reference lib="dom" />
import type { ClosedRoots } from "./closed-roots.ts";
import type { Dom } from "./dom.ts";

export type Secrets = ReturnType<typeof makeSecrets>;
export type Box = [x: number, y: number, width: number, height: number];

export interface SecretPlaces {
  /** Every place a field or a blocked frame was seen at. */
  readonly boxes: Box[];
  /** How many fields there are. */
  readonly count: number;
  /** No field moved, appeared or disappeared. */
  readonly isStill: boolean;
  /** The document itself was scrolled, or something that contains a frame or a field. */
  readonly hasScrolled: boolean;
  readonly suspects: number;
}

/** Where the fields that hide what is typed into them, and blocked frames, are, frame by frame while a picture is taken. */
export function makeSecrets(dom: Dom, roots: ClosedRoots) {
  type Root = Document | ShadowRoot;
  type Places = Map<Element, Box>;
  interface Watch {
    readonly roots: Root[];
    readonly hasFields: boolean;
    readonly first: Places;
    readonly seen: Map<string, Box>;
    isStill: boolean;
    hasScrolled: boolean;
    stop: () => void;
  }
  // In case nobody comes back to ask.
  const longest = 20_000;
  const longestFrame = 100;
  const watches = new Map<number, Watch>();

  const allRoots = (): Root[] => {
    roots.forget();
    const found: Root[] = [];
    const visit = (root: Root): void => {
      found.push(root);
      for (const element of Array.from(root.querySelectorAll("*"))) {
        const inner = dom.shadowOf(element);
        if (inner) visit(inner);
        else roots.suspect(element);
      }
    };
    visit(document);
    return found;
  };

  const placesIn = (all: readonly Root[], hasFields: boolean): Places => {
    const places: Places = new Map();
    const add = (element: Element): void => {
      const box = dom.boxOf(element.getBoundingClientRect());
      if (box[2] > 0 && box[3] > 0) places.set(element, box);
    };
    for (const frame of dom.hiddenFrames()) add(frame);
    for (const root of hasFields ? all : []) {
      for (const element of Array.from(root.querySelectorAll("input,textarea")))
        if (dom.isSecret(element)) add(element);
    }
    return places;
  };

  const note = (watch: Watch, places: Places): void => {
    if (places.size !== watch.first.size) watch.isStill = false;
    places.forEach((box, element) => {
      const was = watch.first.get(element);
      if (!was || was.some((value, index) => value !== box[index])) watch.isStill = false;
      watch.seen.set(box.join(), box);
    });
  };

  const moving =
    /^(all|transform|translate|rotate|scale|offset|inset|left|top|right|bottom|margin|padding|width|height)/;
  /** What the compositor moves by itself is in a different place in each picture. */
  const isAnimated = (field: Element): boolean => {
    for (let element: Element | undefined = field; element; element = dom.parentOf(element)) {
      const animations = typeof element.getAnimations === "function" ? element.getAnimations() : [];
      for (const { playState, effect } of animations) {
        const frames = playState === "running" && effect instanceof KeyframeEffect ? effect.getKeyframes() : [];
        if (frames.some((frame) => Object.keys(frame).some((name) => moving.test(name)))) return true;
      }
    }
    return false;
  };

  const nextFrame = (): Promise<void> =>
    new Promise((resolve) => {
      requestAnimationFrame(() => resolve());
      // A page that is not drawn has no animation frames.
      setTimeout(resolve, longestFrame);
    });

  const start = (key: number, hasFields: boolean): Watch => {
    watches.get(key)?.stop();
    const all = allRoots();
    const first = placesIn(all, hasFields);
    const seen = new Map<string, Box>();
    const watch: Watch = { roots: all, hasFields, first, seen, isStill: true, hasScrolled: false, stop: () => {} };
    note(watch, first);
    const onScroll = ({ target }: Event): void => {
      const box = target instanceof Element ? target : undefined;
      if (!box || box.querySelector("iframe,frame,object,embed") || hasField(watch, box)) watch.hasScrolled = true;
    };
    for (const root of all) root.addEventListener("scroll", onScroll, { capture: true, passive: true });
    let frame = 0;
    const look = (): void => {
      note(watch, placesIn(watch.roots, hasFields));
      frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    const timer = setTimeout(() => watch.stop(), longest);
    watch.stop = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      for (const root of all) root.removeEventListener("scroll", onScroll, { capture: true });
      watches.delete(key);
    };
    watches.set(key, watch);
    return watch;
  };

  const hasField = (watch: Watch, box: Element): boolean => {
    let has = false;
    watch.first.forEach((_place, field) => {
      has = has || dom.isInside(field, box);
    });
    return has;
  };

  const tell = (watch: Watch, places: Places): SecretPlaces => ({
    boxes: Array.from(watch.seen.values()),
    count: places.size,
    isStill: watch.isStill,
    hasScrolled: watch.hasScrolled,
    suspects: roots.count(),
  });

  return {
    /** Looks from now on, without fields for blocked frames alone. `frames`: not before that many were drawn as it is. */
    followSecrets: async (key: number, frames: number, hasFields: boolean): Promise<SecretPlaces> => {
      const watch = start(key, hasFields);
      if (watch.first.size > 0) for (let count = 0; count < frames; count++) await nextFrame();
      return tell(watch, watch.first);
    },
    /** Where they have been since; undefined when they were not watched. */
    secretsSince: async (key: number): Promise<SecretPlaces | undefined> => {
      const watch = watches.get(key);
      if (!watch) return undefined;
      // Scripts may learn of what the picture shows one frame later.
      if (watch.seen.size > 0) await nextFrame();
      const places = placesIn(allRoots(), watch.hasFields);
      note(watch, places);
      places.forEach((_box, field) => {
        if (isAnimated(field)) watch.isStill = false;
      });
      watch.stop();
      return tell(watch, places);
    },
  };
}
