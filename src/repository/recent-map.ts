/**
 * A map with at most `max` entries, which forgets the one that was read or written longest ago.
 * It is all that the runs need of a cache; lru-cache would add 19 kB to every job of the Action.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor({ max }: { readonly max: number }) {
    super();
    this.#max = max;
  }

  override get(key: Key): Value | undefined {
    const value = super.get(key);
    if (value !== undefined) this.#renew(key, value);
    return value;
  }

  /** The value, which does not become more recent by this. */
  peek(key: Key): Value | undefined {
    return super.get(key);
  }

  override set(key: Key, value: Value): this {
    this.#renew(key, value);
    const [oldest] = this.keys();
    // There is a key: the one that was written just now.
    if (this.size > this.#max) this.delete(oldest as Key);
    return this;
  }

  /** A map keeps its keys in the order in which they were added. */
  #renew(key: Key, value: Value): void {
    this.delete(key);
    super.set(key, value);
  }
}
