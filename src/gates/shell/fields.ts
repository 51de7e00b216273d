/** Collects the fields that the words of a command become: the shell splits what is not quoted at blanks. */
export class Fields {
  readonly #done: string[] = [];
  #current: string | undefined;

  /** Text that is not split, also when it is empty. */
  add(text: string): void {
    this.#current = (this.#current ?? '') + text;
  }

  /** The value of an expansion that is not quoted. */
  split(text: string): void {
    const [first = '', ...others] = text.split(/[ \t\n]+/);
    if (first !== '') this.add(first);
    for (const other of others) {
      this.end();
      if (other !== '') this.add(other);
    }
  }

  /** A field ends here, if one has begun. */
  end(): void {
    if (this.#current !== undefined) this.#done.push(this.#current);
    this.#current = undefined;
  }

  list(): readonly string[] {
    this.end();
    return this.#done;
  }
}
