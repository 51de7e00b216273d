import type { Octokit } from '@octokit/rest';
import { readBlock } from '../../github/show/block.ts';
import type { BlockState } from '../../github/show/block-state.ts';
import type { Phase } from '../../steering/standing.ts';
import { Conversation } from './conversation.ts';
import { eventually } from './eventually.ts';
import { personClient, type Stage } from './stage.ts';

/**
 * How long a step of the session may take, in milliseconds; agents and verifiers of the demo take seconds.
 */
const startMs = 30_000;
const roundMs = 120_000;

/** Plays the whole loop as Ada would: label, steer, approve. Returns the pull request's number. */
export async function playSession(stage: Stage, print: (line: string) => void): Promise<number> {
  const ada = personClient(stage.forge, stage.people.ada);
  const { owner, repo } = stage;
  print('ada labels issue #1 with `coxswain`');
  await ada.rest.issues.addLabels({ owner, repo, issue_number: 1, labels: ['coxswain'] });
  const number = await eventually('a draft pull request for issue #1', startMs, () =>
    draftNumber(ada, stage),
  );
  print(`coxswain[bot] opened draft pull request #${number}`);

  const conversation = new Conversation(ada, { owner, repo, number }, print);
  const scene: Scene = { ada, stage, number, conversation };
  await reach(scene, { phase: 'awaiting_approval', iteration: 0 });
  await say(scene, '/steer also handle an empty list');
  const steered = await reach(scene, { phase: 'awaiting_approval', iteration: 1 });
  await say(scene, `/approve ${steered.head_sha.slice(0, 7)}`);
  await reach(scene, { phase: 'approved', iteration: 1 });
  await eventually('the pull request out of draft', startMs, async () =>
    (await pull(scene)).draft ? undefined : true,
  );
  print(`#${number} is ready for review`);
  return number;
}

interface Scene {
  readonly ada: Octokit;
  readonly stage: Stage;
  readonly number: number;
  readonly conversation: Conversation;
}

async function draftNumber(ada: Octokit, { owner, repo }: Stage): Promise<number | undefined> {
  const { data } = await ada.rest.pulls.list({ owner, repo, state: 'open' });
  return data.find(({ draft }) => draft)?.number;
}

async function say({ ada, stage, number, conversation }: Scene, body: string): Promise<void> {
  const { owner, repo } = stage;
  await ada.rest.issues.createComment({ owner, repo, issue_number: number, body });
  await conversation.follow();
}

/**
 * Waits for a phase to appear in the pull request's body, and prints what happens in the meantime.
 */
async function reach(scene: Scene, wanted: { phase: Phase; iteration: number }): Promise<BlockState> {
  const expected = `#${scene.number} in phase ${wanted.phase}, iteration ${wanted.iteration}`;
  return eventually(expected, roundMs, async () => {
    await scene.conversation.follow();
    const block = readBlock((await pull(scene)).body ?? '');
    return block?.phase === wanted.phase && block.iteration === wanted.iteration ? block : undefined;
  });
}

async function pull({ ada, stage, number }: Scene) {
  const { owner, repo } = stage;
  const { data } = await ada.rest.pulls.get({ owner, repo, pull_number: number });
  return data;
}
