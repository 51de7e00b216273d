import { MissingPermission } from '../../github/octokit/fault.ts';
import { messageOf } from '../repository/faults.ts';
import type { Services } from '../run/services.ts';

/** Enough for an outage of some minutes, with the sweep that follows it. */
const maxTries = 10;

/** What nothing depends on: it is tried again a few times, and then left, which the operator is told. */
export class LimitedTries {
  readonly #log: Pick<Services['log'], 'warn'>;
  /** How often each has failed, by the id of its effect. */
  readonly #failed = new Map<string, number>();

  constructor(log: Pick<Services['log'], 'warn'>) {
    this.#log = log;
  }

  /** Throws what went wrong as long as it is to be tried again. */
  async run(id: string, doing: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (fault) {
      const failed = (this.#failed.get(id) ?? 0) + 1;
      this.#failed.set(id, failed);
      if (failed < maxTries || fault instanceof MissingPermission) throw fault;
      this.#log.warn(`gave up to ${doing} after ${failed} tries: ${messageOf(fault)}`);
    }
    this.#failed.delete(id);
  }
}
