/** Consumes numbers in order, so that a shrunk sequence still has the same meaning. */
export class Dice {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  roll(sides: number): number {
    const number = this.#numbers[this.#next % this.#numbers.length] ?? 0;
    this.#next += 1;
    return number % sides;
  }

  oneOf<T>(first: T, ...others: readonly T[]): T {
    return [first, ...others][this.roll(others.length + 1)] ?? first;
  }

  /** One of a list, undefined if it is empty. */
  among<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.roll(list.length)];
  }

  /** True once in so many rolls. */
  rarely(sides: number): boolean {
    return this.roll(sides) === sides - 1;
  }
}
