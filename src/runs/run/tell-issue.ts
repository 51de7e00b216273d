import { Comments } from '../../github/write/write-comments.ts';
import type { State } from '../../steering/state/state.ts';
import { endedUnmergedText, givenUpText } from '../../words/parts/resolution-texts.ts';
import { targetOf } from './reply-context.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';

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

/** Tells a run that waits for the issue of one, once for each end of that, that it was not merged. */
export async function tellWaiting(
  { repository, number }: Run,
  ended: State,
  services: Services,
): Promise<void> {
  const { run, owed, started_at } = ended;
  const effect = owed.find((each) => each.do === 'wake');
  if (run.issue === null || effect === undefined) return;
  const text = endedUnmergedText({ number: run.number, issue: run.issue });
  const comments = new Comments(targetOf(repository, number, services), started_at);
  await comments.create({ kind: 'reply', id: `${run.number}:${effect.id}` }, async () => text);
}
