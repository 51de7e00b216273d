import type { Octokit } from '@octokit/rest';
import { readBlock } from '../../github/show/block.ts';
import type { BlockState } from '../../github/show/block-state.ts';
import type { Phase } from '../../steering/standing.ts';
import { Conversation } from './conversation.ts';
import { eventually } from './eventually.ts';
import { type Demo, personClient } from './start.ts';

/** How long a step of the session may take; agents and verifiers of the demo take seconds. */
const startMs = 30_000;
const iterationMs = 120_000;

/** Plays a whole session as Ada: label, steer, approve. Returns the pull request's number. */
export async function playSession(demo: Demo, print: (line: string) => void): Promise<number> {
  const ada = personClient(demo.forge, demo.people.ada);
  const { owner, repo } = demo;
  print('ada labels issue #1 with `coxswain`');
  await ada.rest.issues.addLabels({ owner, repo, issue_number: 1, labels: ['coxswain'] });
  const number = await eventually('a draft pull request for issue #1', startMs, () => draftNumber(ada, demo));
  print(`coxswain[bot] opened draft pull request #${number}`);

  const conversation = new Conversation(ada, { owner, repo, number }, print);
  const session: Session = { ada, demo, number, conversation };
  await reach(session, { phase: 'awaiting_approval', iteration: 0 });
  await comment(session, '/steer also handle an empty list');
  const steered = await reach(session, { phase: 'awaiting_approval', iteration: 1 });
  await comment(session, `/approve ${steered.head_sha.slice(0, 7)}`);
  await reach(session, { phase: 'approved', iteration: 1 });
  await eventually('the pull request out of draft', startMs, async () =>
    (await pull(session)).draft ? undefined : true,
  );
  print(`#${number} is ready for review`);
  return number;
}

interface Session {
  readonly ada: Octokit;
  readonly demo: Demo;
  readonly number: number;
  readonly conversation: Conversation;
}

async function draftNumber(ada: Octokit, { owner, repo }: Demo): Promise<number | undefined> {
  const { data } = await ada.rest.pulls.list({ owner, repo, state: 'open' });
  return data.find(({ draft }) => draft)?.number;
}

async function comment({ ada, demo, number, conversation }: Session, body: string): Promise<void> {
  const { owner, repo } = demo;
  await ada.rest.issues.createComment({ owner, repo, issue_number: number, body });
  await conversation.follow();
}

/** Waits for a phase to appear in the pull request's body, and prints what happens in the meantime. */
async function reach(session: Session, wanted: { phase: Phase; iteration: number }): Promise<BlockState> {
  const expected = `#${session.number} in phase ${wanted.phase}, iteration ${wanted.iteration}`;
  return eventually(expected, iterationMs, async () => {
    await session.conversation.follow();
    const block = readBlock((await pull(session)).body ?? '');
    return block?.phase === wanted.phase && block.iteration === wanted.iteration ? block : undefined;
  });
}

async function pull({ ada, demo, number }: Session) {
  const { owner, repo } = demo;
  const { data } = await ada.rest.pulls.get({ owner, repo, pull_number: number });
  return data;
}
