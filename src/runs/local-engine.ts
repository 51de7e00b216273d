import type { State } from '../steering/state.ts';
import { type AttemptServices, attempt } from './attempt.ts';
import { messageOf, newReference } from './faults.ts';
import type { Run } from './run.ts';
import type { Engine } from './services.ts';

/** Attempts execute in this process, at most so many at once, first come, first served. */
export class LocalEngine implements Engine {
  readonly #services: AttemptServices;
  readonly #places: number;
  readonly #waiting = new Map<string, Run>();
  readonly #atWork = new Map<string, Job>();
  #stopped = false;
  #onIdle: (() => void)[] = [];

  constructor(services: AttemptServices, places: number) {
    this.#services = services;
    this.#places = places;
  }

  engage(liveRun: Run, state: State): void {
    const job = this.#atWork.get(liveRun.name);
    if (job !== undefined) {
      if (!isFor(job, state)) job.ending.abort();
      return;
    }
    // What is given back when this engine stops is for another to take.
    if (state.standing.phase === 'queued' && !this.#stopped) this.#waiting.set(liveRun.name, liveRun);
    else this.#waiting.delete(liveRun.name);
    this.#fill();
  }

  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    const jobs = [...this.#atWork.values()];
    for (const { ending } of jobs) ending.abort();
    await Promise.all(jobs.map(({ done }) => done));
    await Promise.all(jobs.map((job) => this.#giveBack(job)));
  }

  /** Somebody else may take the attempt at once, instead of when its time is over. */
  async #giveBack({ liveRun, holder }: Job): Promise<void> {
    const standing = liveRun.newest?.standing;
    if (standing?.phase !== 'working' && standing?.phase !== 'verifying') return;
    if (standing.hold.holder !== holder) return;
    const { clock, log } = this.#services;
    await liveRun
      .record({
        type: 'hold_lost',
        id: `hold_lost:${holder}`,
        at: clock.now().toISOString(),
        hold: standing.hold,
      })
      .catch((fault: unknown) =>
        log.warn(`could not give back the attempt of ${liveRun.name}: ${messageOf(fault)}`),
      );
  }

  get #isIdle(): boolean {
    return this.#atWork.size === 0 && this.#waiting.size === 0;
  }

  #fill(): void {
    for (const [name, liveRun] of this.#waiting) {
      if (this.#stopped || this.#atWork.size >= this.#places) return;
      this.#waiting.delete(name);
      this.#start(liveRun);
    }
    if (this.#isIdle) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #start(liveRun: Run): void {
    const ending = new AbortController();
    const job: Job = {
      liveRun,
      holder: this.#services.nextHolder(),
      holds: false,
      ending,
      done: Promise.resolve(),
    };
    this.#atWork.set(liveRun.name, job);
    job.done = this.#work(liveRun, job).finally(() => {
      this.#atWork.delete(liveRun.name);
      // What was told meanwhile found this place taken; it is looked at again now.
      if (liveRun.newest !== undefined && !this.#stopped) this.engage(liveRun, liveRun.newest);
      this.#fill();
    });
  }

  /** A fault of ours stops the run with a reference, never the process. */
  async #work(liveRun: Run, job: Job): Promise<void> {
    try {
      const { holder, ending } = job;
      const onHeld = () => (job.holds = true);
      await attempt(liveRun, { services: this.#services, holder, signal: ending.signal, onHeld });
    } catch (fault) {
      const reference = newReference();
      const { log, clock } = this.#services;
      log.error(`attempt of ${liveRun.name} failed by our own fault (${reference}): ${messageOf(fault)}`);
      const what = `an attempt ended by our own fault: ${messageOf(fault).slice(0, 300)}`;
      const id = `run_failed:${reference}`;
      await liveRun
        .record({ type: 'run_failed', id, at: clock.now().toISOString(), reference, what })
        .catch((again: unknown) =>
          log.error(`could not record ${reference} of ${liveRun.name}: ${messageOf(again)}`),
        );
    }
  }
}

interface Job {
  readonly liveRun: Run;
  readonly holder: string;
  /** Whether the attempt is ours already; until then the run waits for us. */
  holds: boolean;
  readonly ending: AbortController;
  done: Promise<void>;
}

/** Whether this job is still what the run wants: to be taken, or to be finished by the one who holds it. */
function isFor(job: Job, { standing }: State): boolean {
  if (!job.holds) return standing.phase === 'queued';
  const held = standing.phase === 'working' || standing.phase === 'verifying';
  return held && standing.hold.holder === job.holder;
}
