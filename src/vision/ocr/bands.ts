/** The size of a band in pixels. */
const size = 16;
// A band with this many items is searched for finished ones to remove.
const many = 24;

export const bandOf = (y: number): number => Math.max(0, Math.floor(y / size));

/** Which items cross which rows (or columns) of the picture, so that neighbours are found without checking all items. */
export class Bands<Item> {
  readonly #crossing: (Item[] | undefined)[] = [];

  /** In the order in which they were added. */
  at(band: number): readonly Item[] {
    return this.#crossing[band] ?? none;
  }

  /** Adds an item to every band it crosses. Crowded bands drop finished items. */
  enter(item: Item, top: number, bottom: number, isOver?: (item: Item) => boolean): void {
    for (let at = bandOf(top); at <= bandOf(bottom); at++) {
      const crossing = this.#crossing[at];
      if (!crossing) this.#crossing[at] = [item];
      else if (!crossing.includes(item)) {
        const left = isOver && crossing.length >= many ? crossing.filter((other) => !isOver(other)) : crossing;
        left.push(item);
        this.#crossing[at] = left;
      }
    }
  }
}

const none: readonly never[] = [];
