import type { State } from '../../steering/state.ts';

/** How often a refusal counts as one that passes by itself, with the first one. */
const longest = 2;

/** GitHub refuses a merge while a branch is moving. Refused again and again, people are better told. */
export class PassingRefusals {
  readonly #times = new Map<string, number>();

  /** Counts such a refusal of this commit; false once it has come too often. */
  mayPass({ head }: Pick<State, 'head'>): boolean {
    const times = (this.#times.get(head) ?? 0) + 1;
    this.#times.set(head, times);
    return times <= longest;
  }
}
