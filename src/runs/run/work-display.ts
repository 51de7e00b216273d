import type { Presenter } from '../../github/show/present.ts';
import { messageOf } from '../../repository/faults.ts';
import type { Progress } from '../../steering/shapes/agent-progress.ts';
import type { State } from '../../steering/state/state.ts';
import { atWorkText } from '../../words/status-text.ts';
import type { Services } from './services.ts';

/** A run, as far as what its agent is doing is shown. */
interface ShownRun {
  /** `owner/repo#n` */
  readonly name: string;
  readonly newest: State | undefined;
  readonly services: Pick<Services, 'progress' | 'workEveryMs' | 'clock' | 'log'>;
  readonly drawing: Pick<Presenter, 'showWork' | 'present'>;
}

/** Every drawing is a write, of which GitHub allows few, and may overwrite what somebody edits just then. */
const usualEveryMs = 30_000;

/**
 * Says on the pull request what the agent of a run is doing, at a calm pace: work that ends sooner is never
 * mentioned, and nothing is written twice. The more runs are at work, the rarer it is for each: together they
 * write as often as one. It disappears with the first drawing after the work.
 */
export class WorkDisplay {
  readonly #run: ShownRun;
  readonly #unwatch: () => void;
  #timer: NodeJS.Timeout | undefined;
  #shown = '';
  #drawnAt = 0;
  #isDrawing = false;

  constructor(run: ShownRun) {
    this.#run = run;
    const { progress } = run.services;
    this.#unwatch =
      progress?.watch(run.name, (now) => (now === undefined ? this.#end() : this.#begin())) ??
      (() => undefined);
  }

  close(): void {
    this.#unwatch();
    this.#end();
  }

  #begin(): void {
    if (this.#timer !== undefined) return;
    this.#drawnAt = performance.now();
    this.#timer = setInterval(() => void this.#draw(), this.#everyMs);
  }

  get #everyMs(): number {
    return this.#run.services.workEveryMs ?? usualEveryMs;
  }

  /** Whether it is this run's turn; a timer may be a little early. */
  #isDue(atWork: number): boolean {
    return performance.now() - this.#drawnAt > this.#everyMs * (atWork - 0.5);
  }

  #end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#shown = '';
    this.#run.drawing.showWork(undefined);
  }

  async #draw(): Promise<void> {
    const { progress: board, clock, log } = this.#run.services;
    const { name, newest } = this.#run;
    const progress = board?.of(name);
    if (newest === undefined || progress === undefined || this.#isDrawing) return;
    if (!this.#isDue(board?.size ?? 1)) return;
    const line = atWorkText(newest, progress, clock.now());
    const subject = subjectOf(newest, progress);
    if (line === undefined || subject === this.#shown) return;
    this.#shown = subject;
    this.#drawnAt = performance.now();
    this.#run.drawing.showWork(line);
    this.#isDrawing = true;
    await this.#run.drawing.present(newest).catch((fault: unknown) => {
      this.#shown = '';
      log.warn(`could not show what the agent of ${name} is doing: ${messageOf(fault)}`);
    });
    this.#isDrawing = false;
  }
}

/** What is worth another write; that time has passed is not. */
function subjectOf({ iteration, attempt, standing }: State, progress: Progress): string {
  const { stage, cost, calls, last, near, verifiers, trial } = progress;
  const doing = [stage, cost, calls, last.at(-1), near, verifiers, trial];
  return JSON.stringify([iteration, attempt, standing.phase, ...doing]);
}
