import { givenUpText } from '../../github/words/resolving.ts';
import { Comments } from '../../github/write/comments.ts';
import type { State } from '../../steering/state.ts';
import { targetOf } from '../comment-target.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';

/** Tells the issue, once for each decision, that the run of it was given up or replaced. */
export async function tellIssue({ repository }: Run, state: State, services: Services): Promise<void> {
  const { issue } = state.run;
  const effect = state.owed.find((each) => each.do === 'tell_issue');
  // Somebody may have begun it again meanwhile.
  if (issue === null || effect === undefined || state.standing.phase !== 'abandoned') return;
  const text = givenUpText(state.run.number, state.standing);
  const comments = new Comments(targetOf(repository, issue, services), state.started_at);
  await comments.create({ kind: 'reply', id: effect.id }, async () => text);
}
