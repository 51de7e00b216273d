import { withPerhapsHeard } from '../iterations/contributing.ts';
import { next, nothing, type Step, withReply } from '../iterations/step.ts';
import type { QueuedSteer } from '../shapes/queued-steer.ts';
import type { EventOf } from '../state/event.ts';
import type { In, State } from '../state/state.ts';

/** Steers that wait follow edits by their authors, and only by those. */

type Edit = EventOf<'comment_changed'>;

/** A queued steer follows its comment. */
export function followEdit(state: State, event: Edit): Step {
  return followIn(state, event, { steers: state.queue, with: (queue) => ({ ...state, queue }) });
}

/** A steer on its way to the agent does so as well; perhaps the agent has just heard the former words. */
export function followEditAtWork(state: In<'working'>, event: Edit): Step {
  const { telling: steers = [], ...standing } = state.standing;
  const step = followIn(state, event, {
    steers,
    with: (telling) => ({
      ...withPerhapsHeard(
        state,
        steers.filter((steer) => !telling.includes(steer)),
      ),
      standing: { ...standing, ...(telling.length > 0 && { telling }) },
    }),
  });
  return step === nothing ? followEdit(state, event) : step;
}

interface Waiting {
  readonly steers: readonly QueuedSteer[];
  readonly with: (steers: readonly QueuedSteer[]) => State;
}

function followIn(state: State, event: Edit, waiting: Waiting): Step {
  const { steers } = waiting;
  const at = steers.findIndex(({ source }) => isComment(source, event));
  if (at < 0) return nothing;
  const place = at + 1;
  if (!event.by_author) {
    const step = next(state, {}, `Keep queued steer ${place}: ${event.by} is not its author`);
    return withReply(step, event, { say: 'unchanged', place });
  }
  const { text } = event;
  const edited =
    text === null
      ? steers.toSpliced(at, 1)
      : steers.map((steer, index) => (index === at ? { ...steer, prompt: text } : steer));
  const say = text === null ? 'withdrawn' : 'changed';
  const subject = `Queued steer ${place} ${say} by ${event.by}`;
  return withReply(next(waiting.with(edited), {}, subject), event, { say, place });
}

function isComment(source: QueuedSteer['source'], { comment_id }: Edit): boolean {
  return source.from === 'comment' && source.comment_id === comment_id;
}
