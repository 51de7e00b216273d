import type { State } from '../../steering/state/state.ts';

/** So many refusals of one commit may pass by themselves. */
const maxPassing = 2;

/**
 * GitHub refuses a merge while a branch is moving; if it goes on, people are told. Counted in this process.
 */
export class PassingRefusals {
  readonly #times = new Map<string, number>();

  /** Counts such a refusal of this commit; false once it has come too often. */
  mayPass({ head }: Pick<State, 'head'>): boolean {
    const times = (this.#times.get(head) ?? 0) + 1;
    this.#times.set(head, times);
    return times <= maxPassing;
  }
}
