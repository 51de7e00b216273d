import { MissingPermission } from '../../github/octokit/fault.ts';
import { HistoryLags } from '../../repository/contributors.ts';
import { messageOf, retry } from '../../repository/faults.ts';
import { isNewer } from '../../steering/process-state.ts';
import type { State } from '../../steering/state/state.ts';
import type { Services } from './services.ts';

/** A run, as far as its states are acted on. */
interface ActingRun {
  /** `owner/repo#n` */
  readonly name: string;
  readonly newest: State | undefined;
}

interface ActingOptions extends Pick<Services, 'log'> {
  /** Aborted when the run is closed. */
  readonly signal: AbortSignal;
}

/** Acts on the states of a run. They are recorded, so what fails can be done again; one loop serves all. */
export class Acting {
  readonly #run: ActingRun;
  readonly #act: (state: State) => Promise<void>;
  readonly #options: ActingOptions;
  #retrying: Promise<void> | undefined;
  /** The newest state that has failed since the current loop started. */
  #failed: State | undefined;
  /** It was recorded after the loop had started. */
  #failedAgain = false;

  constructor(run: ActingRun, act: (state: State) => Promise<void>, options: ActingOptions) {
    this.#run = run;
    this.#act = act;
    this.#options = options;
  }

  /** Resolves when it is done or given up; never rejects, because the next sweep tries again. */
  async on(state: State): Promise<void> {
    await this.#act(state).catch((fault: unknown) => {
      if (!(fault instanceof MissingPermission)) return this.#again(fault, state);
      // Nobody grants it within seconds.
      this.#options.log.error(`could not act for ${this.#run.name}: ${fault.message}`);
      return undefined;
    });
  }

  /** What acting itself records may be the same state again, which would keep the loop going for ever. */
  #again(fault: unknown, state: State): Promise<void> {
    if (this.#failed === undefined || isNewer(state, this.#failed)) {
      this.#failed = state;
      this.#failedAgain = this.#retrying !== undefined;
    }
    this.#retrying ??= this.#retry(fault).finally(() => {
      this.#retrying = undefined;
      this.#failed = undefined;
    });
    return this.#retrying;
  }

  /** Until it succeeds, warnings are logged. */
  async #retry(fault: unknown): Promise<void> {
    const { log, signal } = this.#options;
    const { name } = this.#run;
    const act = async (attempt: number): Promise<void> => {
      if (attempt === 1) throw fault;
      if (!signal.aborted) await this.#actOnNewest();
    };
    const doing = `act for ${name}`;
    await retry(act, { doing, log, signal, firstWaitMs: 1_000, factor: 3 }).catch((last: unknown) => {
      // What GitHub lists too late is there before the next sweep.
      const goesOn = this.#failedAgain || last instanceof HistoryLags;
      if (goesOn && !signal.aborted) return this.#retryAgain(last);
      log.error(`gave up acting for ${name}; the next sweep will retry: ${messageOf(last)}`);
      return undefined;
    });
  }

  /** What failed late would otherwise have fewer tries. */
  #retryAgain(fault: unknown): Promise<void> {
    this.#failedAgain = false;
    return this.#retry(fault);
  }

  /** A newer state may have failed meanwhile, and relies on this loop. */
  async #actOnNewest(): Promise<void> {
    let state: State | undefined;
    do {
      state = this.#run.newest;
      if (state !== undefined) await this.#act(state);
    } while (state !== this.#run.newest);
  }
}
