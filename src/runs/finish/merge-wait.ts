import { Comments } from '../../github/write/comments.ts';
import type { State } from '../../steering/state/state.ts';
import { type MergeWait, mergeWaitText } from '../../words/parts/merge-texts.ts';
import { targetOf } from '../run/comment-target.ts';
import type { Run } from '../run/run.ts';
import type { Services } from '../run/services.ts';

/**
 * Says why an approved commit is not merged: once for each commit while it waits, and once when that is over,
 * even across restarts.
 */
export async function replyMergeWait(
  { repository, number }: Run,
  { wait, state, services }: Waiting,
): Promise<void> {
  const comments = new Comments(targetOf(repository, number, services), state.started_at);
  await comments.create({ kind: 'reply', id: mergeWaitId(state, wait) }, async () =>
    mergeWaitText(wait, state.run.presenter),
  );
}

interface Waiting {
  readonly wait: MergeWait;
  readonly state: State;
  readonly services: Services;
}

/** Identifies the reply, so that it is posted only once. */
export function mergeWaitId({ head }: State, wait?: MergeWait): string {
  return `${wait?.instead.why === 'over' ? 'merge-over' : 'merge-wait'}:${head}`;
}
