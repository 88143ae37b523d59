import type { Backend } from "../platform/backend.ts";
import type { RefStyle } from "./snapshot.ts";
import { Surface, type Senses } from "./surface.ts";

/** Something that is a surface as long as it exists: a page of a browser, a device. */
interface Part {
  readonly backend: Backend;
}

export interface SurfacesOptions<Owner extends AsyncDisposable, Item extends Part> {
  /** Opens what the parts belong to, on first use. */
  readonly open: () => Promise<Owner>;
  /** Throws when there is no such part, or no longer. */
  readonly find: (owner: Owner, id: string) => Promise<Item>;
  /** Whether the part exists now. */
  readonly has: (owner: Owner, id: string) => boolean;
  readonly senses: Senses;
  readonly refs: RefStyle;
  /** Hides what must not be seen of a part. */
  readonly guard: (backend: Backend) => Backend;
}

// Each may hold the tree of a long page.
const mostSurfaces = 64;

/** The parts that generic tools have worked on. Each keeps its own frames and refs as long as it is the same part. */
export class Surfaces<Owner extends AsyncDisposable, Item extends Part> implements AsyncDisposable {
  readonly #options: SurfacesOptions<Owner, Item>;
  #owner: Promise<Owner> | undefined;
  readonly #surfaces = new Map<string, { readonly item: Item; readonly surface: Surface }>();

  constructor(options: SurfacesOptions<Owner, Item>) {
    this.#options = options;
  }

  owner(): Promise<Owner> {
    return (this.#owner ??= this.#options.open());
  }

  async get(id: string): Promise<Surface> {
    const { find, senses, refs, guard } = this.#options;
    const owner = await this.owner();
    this.#forgetGone(owner);
    const item = await find(owner, id);
    const known = this.#surfaces.get(id);
    if (known) this.#surfaces.delete(id);
    const kept = known?.item === item ? known : { item, surface: new Surface(id, guard(item.backend), senses, refs) };
    if (known && kept !== known) forget(known.surface);
    // The most recently used one is at the end.
    this.#surfaces.set(id, kept);
    return kept.surface;
  }

  #forgetGone(owner: Owner): void {
    let more = this.#surfaces.size - mostSurfaces;
    for (const [id, { surface }] of this.#surfaces) {
      if (more-- < 0 && this.#options.has(owner, id)) continue;
      this.#surfaces.delete(id);
      forget(surface);
    }
  }

  opened(): readonly Surface[] {
    return [...this.#surfaces.values()].map(({ surface }) => surface);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#owner)?.[Symbol.asyncDispose]();
  }
}

/** Its backend may already be gone, so errors do not matter. */
const forget = (surface: Surface): void => void surface.forget().catch(() => undefined);
