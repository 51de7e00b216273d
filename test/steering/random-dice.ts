import { isLeased, type LeaseId } from '../../src/steering/shapes/standing.ts';
import type { State } from '../../src/steering/state/state.ts';

/** Consumes the numbers in order, so that a shrunk sequence still has the same meaning. */
export class Dice {
  readonly #numbers: readonly number[];
  readonly #validity: number;
  #next = 0;

  constructor(numbers: readonly number[], validity: number) {
    this.#numbers = numbers;
    this.#validity = validity;
  }

  roll(sides: number): number {
    const number = this.#numbers[this.#next % this.#numbers.length] ?? 0;
    this.#next += 1;
    return number % sides;
  }

  oneOf<T>(first: T, ...others: readonly T[]): T {
    return [first, ...others][this.roll(others.length + 1)] ?? first;
  }

  /** The valid value, or sometimes the other one. */
  validOr<T>(valid: T, invalid: T): T {
    return this.roll(10) < this.#validity ? valid : invalid;
  }

  stamp(state: State, n: number): { id: string; at: string } {
    const seconds = this.oneOf(60, 60, 60, 1, 0, -30, 90_000);
    return { id: `event:${n}`, at: new Date(Date.parse(state.updated_at) + seconds * 1000).toISOString() };
  }

  hold(state: State): LeaseId {
    const { standing, iteration, attempt } = state;
    const current = isLeased(standing) ? standing.hold : undefined;
    const stale = { iteration: this.roll(3), attempt: this.roll(4), holder: `h${this.roll(3)}` };
    return this.validOr(current ?? { iteration, attempt, holder: 'h0' }, stale);
  }
}
