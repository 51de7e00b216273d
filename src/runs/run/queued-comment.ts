import type { Told } from '../../github/listen/heard.ts';
import { steersOnTheirWay } from '../../steering/shapes/standing.ts';
import type { Event, EventOf } from '../../steering/state/event.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from './run.ts';

/**
 * Whether a comment that was edited or deleted is a steer that still waits, in the queue or on its way to an
 * agent; no other edit matters.
 */
export function isQueued(state: State | undefined, { comment_id }: EventOf<'comment_changed'>): boolean {
  if (state === undefined) return false;
  const waiting = [...steersOnTheirWay(state), ...state.queue];
  return waiting.some(({ source }) => source.from === 'comment' && source.comment_id === comment_id);
}

/**
 * Anyone may edit their comments for ever, so an edit must not use up the budget for pushes unless it can
 * matter. One per run.
 */
export class CommentEdits {
  readonly #run: Pick<Run, 'newest' | 'readLedger'>;
  /** Commands that are being recorded; one of them may be the steer that was edited. */
  readonly #recording = new Set<Promise<unknown>>();
  #reading: Promise<unknown> | undefined;

  constructor(run: Pick<Run, 'newest' | 'readLedger'>) {
    this.#run = run;
  }

  await(event: Pick<Event, 'type'>, recording: Promise<unknown>): void {
    if (event.type !== 'said') return;
    this.#recording.add(recording);
    void recording.catch(() => undefined).finally(() => this.#recording.delete(recording));
  }

  /** Whether an event is no edit, or one of a steer that is queued; one look at the ledger serves many. */
  async mayMatter(event: Told): Promise<boolean> {
    if (event.type !== 'comment_changed') return true;
    await Promise.allSettled(this.#recording);
    if (isQueued(this.#run.newest, event)) return true;
    this.#reading ??= this.#run.readLedger().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return isQueued(this.#run.newest, event);
  }
}
