/** Rows at a time. */
const height = 16;
// So many in one band are looked through for those that are of no more use.
const many = 24;

export const bandOf = (y: number): number => Math.max(0, Math.floor(y / height));

/** What crosses which rows of the picture, so that neighbours are found without asking everybody. */
export class Bands<Item> {
  readonly #crossing: (Item[] | undefined)[] = [];

  /** In the order in which they came. */
  at(band: number): readonly Item[] {
    return this.#crossing[band] ?? none;
  }

  /** Enters it where it is not yet. In a crowded band, what is over makes room. */
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
