import type { Backend } from "../platform/backend.ts";
import type { RefStyle } from "./snapshot.ts";
import { Surface, type Senses } from "./surface.ts";

/** Something that is a surface as long as it lives: a page of a browser, a device. */
interface Part {
  readonly backend: Backend;
}

export interface SurfacesOptions<Owner extends AsyncDisposable, Item extends Part> {
  /** What has the parts; opened when it is first asked for. */
  readonly open: () => Promise<Owner>;
  /** Throws when there is no such part (any more). */
  readonly find: (owner: Owner, id: string) => Promise<Item>;
  readonly senses: Senses;
  readonly refs: RefStyle;
  /** Keeps secret what must not be seen of a part. */
  readonly guard: (backend: Backend) => Backend;
}

/** The parts that generic tools have worked on, each with its own frames and refs for as long as it is the same part. */
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
    const item = await find(await this.owner(), id);
    const known = this.#surfaces.get(id);
    if (known?.item === item) return known.surface;
    const surface = new Surface(id, guard(item.backend), senses, refs);
    this.#surfaces.set(id, { item, surface });
    return surface;
  }

  opened(): readonly Surface[] {
    return [...this.#surfaces.values()].map(({ surface }) => surface);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#owner)?.[Symbol.asyncDispose]();
  }
}
