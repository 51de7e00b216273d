import { messageOf, newReference } from '../repository/faults.ts';
import { isLeased } from '../steering/shapes/standing.ts';
import type { State } from '../steering/state/state.ts';
import { shortened } from '../text/characters.ts';
import type { AttemptedRun, Engine, Lent } from './engine.ts';
import type { AttemptServices } from './leased-work.ts';

/** Runs attempts in this process, a limited number at once, in order of arrival. */
export class LocalEngine implements Engine {
  readonly #services: AttemptServices;
  readonly #slots: number;
  readonly #waiting = new Map<string, AttemptedRun>();
  readonly #running = new Map<string, RunningAttempt>();
  /** Begins work that waits for a place. */
  readonly #borrowers: (() => void)[] = [];
  readonly #lent = new Map<AbortController, Promise<unknown>>();
  #stopped = false;
  #onIdle: (() => void)[] = [];

  constructor(services: AttemptServices, slots: number) {
    this.#services = services;
    this.#slots = slots;
  }

  engage(run: AttemptedRun, state: State): void {
    const job = this.#running.get(run.name);
    if (job !== undefined) {
      job.live?.see(state);
      if (!isFor(job, state)) job.controller.abort();
      return;
    }
    // Work that is released when this engine stops is for another process.
    if (state.standing.phase === 'queued' && !this.#stopped) this.#waiting.set(run.name, run);
    else this.#waiting.delete(run.name);
    this.#fill();
  }

  /** What begins only when the engine stops is ended at once. */
  async lend<T>(work: Lent<T>): Promise<T> {
    if (this.#stopped) throw new Error('the engine has stopped');
    return new Promise((resolve, reject) => {
      this.#borrowers.push(() => {
        const controller = new AbortController();
        const working = work(this.#services, controller.signal).finally(() => {
          this.#lent.delete(controller);
          this.#fill();
        });
        this.#lent.set(controller, working);
        working.then(resolve, reject);
      });
      this.#fill();
    });
  }

  /** Whether a job of this engine works, or is about to work, under that name. */
  isWorking(holder: string): boolean {
    return [...this.#running.values()].some((job) => job.holder === holder);
  }

  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    for (const begin of this.#borrowers.splice(0)) begin();
    const jobs = [...this.#running.values()];
    for (const { controller } of jobs) controller.abort();
    for (const controller of this.#lent.keys()) controller.abort();
    await Promise.allSettled(this.#lent.values());
    await Promise.all(jobs.map(({ done }) => done));
    await Promise.all(jobs.map((job) => this.#release(job)));
  }

  /** Lets another process take the attempt at once, instead of when the lease expires. */
  async #release({ run, holder }: RunningAttempt): Promise<void> {
    const standing = run.newest?.standing;
    if (standing === undefined || !isLeased(standing)) return;
    if (standing.hold.holder !== holder) return;
    const { clock, log } = this.#services;
    await run
      .record({
        type: 'hold_lost',
        id: `hold_lost:${holder}`,
        at: clock.now().toISOString(),
        hold: standing.hold,
      })
      .catch((fault: unknown) =>
        log.warn(`could not release the attempt of ${run.name}: ${messageOf(fault)}`),
      );
  }

  get #isIdle(): boolean {
    const queued = this.#waiting.size + this.#borrowers.length;
    return this.#running.size === 0 && this.#lent.size === 0 && queued === 0;
  }

  /** Whoever waits for people takes no place. */
  get #taken(): number {
    return this.#lent.size + [...this.#running.values()].filter(({ waits }) => waits !== true).length;
  }

  /** A merge queue waits for what is lent, so that comes before attempts. */
  #fill(): void {
    while (!this.#stopped && this.#taken < this.#slots && this.#borrowers.length > 0)
      this.#borrowers.shift()?.();
    for (const [name, run] of this.#waiting) {
      if (this.#stopped || this.#taken >= this.#slots) return;
      this.#waiting.delete(name);
      this.#start(run);
    }
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #start(run: AttemptedRun): void {
    const controller = new AbortController();
    const job: RunningAttempt = {
      run,
      holder: this.#services.nextHolder(),
      holds: false,
      controller,
      done: Promise.resolve(),
    };
    this.#running.set(run.name, job);
    job.done = this.#work(run, job).finally(async () => {
      // Whoever took the lease without learning of it, because the answer was lost, does not work under it.
      await this.#release(job);
      this.#running.delete(run.name);
      // Events during this job found the slot taken, so look at the newest state again.
      if (run.newest !== undefined && !this.#stopped) this.engage(run, run.newest);
      this.#fill();
    });
  }

  /** An internal error stops the run with a reference, never the process. */
  async #work(run: AttemptedRun, job: RunningAttempt): Promise<void> {
    try {
      const { holder, controller } = job;
      const onLeased = () => (job.holds = true);
      const onLive = (live: Seeing) => (job.live = live);
      const onWaiting = (waits: boolean) => {
        job.waits = waits;
        this.#fill();
      };
      const { signal } = controller;
      const onState = (state: State) => this.engage(run, state);
      const told = { onLeased, onLive, onState, onWaiting };
      // Most jobs of the Action never work, so the agents' part is only loaded for an attempt.
      const { attempt } = await import('./attempt.ts');
      await attempt(run, { services: this.#services, holder, signal, ...told });
    } catch (fault) {
      const reference = newReference();
      const { log, clock } = this.#services;
      log.error(`internal error in an attempt of ${run.name} (${reference}): ${messageOf(fault)}`);
      const what = `internal error in an attempt: ${shortened(messageOf(fault), 300)}`;
      const id = `run_failed:${reference}`;
      await run
        .record({ type: 'run_failed', id, at: clock.now().toISOString(), reference, what })
        .catch((again: unknown) =>
          log.error(`could not record ${reference} of ${run.name}: ${messageOf(again)}`),
        );
    }
  }
}

interface Seeing {
  see(state: State): void;
}

interface RunningAttempt {
  readonly run: AttemptedRun;
  readonly holder: string;
  /** Whether we have the lease; until then the run is still queued. */
  holds: boolean;
  readonly controller: AbortController;
  /** Once we have the lease: what the agent at work has to do with the run. */
  live?: Seeing;
  /** Whether its agent waits for people. */
  waits?: boolean;
  done: Promise<void>;
}

/** Whether the run still needs this job: to take its queued work, or to finish work under our lease. */
function isFor(job: RunningAttempt, { standing }: State): boolean {
  if (standing.phase === 'queued') return !job.holds;
  return isLeased(standing) && standing.hold.holder === job.holder;
}
