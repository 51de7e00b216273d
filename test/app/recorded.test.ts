import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Left, recording } from '../ledger/recording.ts';
import { eventually } from './eventually.ts';
import { flawsOf } from './ledger-story.ts';
import type { PullStory } from './pull-story.ts';
import { type Clock, setRecordedStage } from './recorded.ts';
import type { Stage } from './stage.ts';

/** The version before was stopped, this one is started: each run goes on from where it was left. */
let stage: Stage;
let clock: Clock;

beforeAll(async () => {
  ({ stage, clock } = await setRecordedStage());
});

afterAll(async () => {
  const complaints = stage.app.complaints();
  await stage.end();
  expect(complaints).toEqual([]);
});

const left = (as: Left): PullStory => stage.ada.looksAt(recording.runs[as]);

describe('after an upgrade', () => {
  test('what waits for an approval is approved', async () => {
    const pull = left('awaiting_approval');
    await stage.bob.says(pull, `/approve ${await pull.head()}`);
    await pull.reaches('approved', { iteration: 1 });
    await pull.isDraft(false);
    const ledger = await pull.ledger();
    expect(ledger.state.approvals).toMatchObject([{ by: { login: 'bob' } }]);
    expect(flawsOf(ledger)).toEqual([]);
  });

  test('what was approved stays so, for GitHub still has the words', async () => {
    const pull = left('approved');
    const { source } = (await pull.ledger()).state.approvals[0] ?? {};
    const words = source?.from === 'comment' ? `/issues/comments/${source.comment_id}` : 'words';
    await eventually(`a look at ${words}`, () => stage.requests().find(({ path }) => path.endsWith(words)));
    await stage.mia.says(pull, '/status');
    await pull.hears(/^@mia: [\s\S]*Status: approved/);
    expect(await pull.glance()).toMatchObject({ draft: false, block: { phase: 'approved' } });
    expect((await pull.ledger()).state.approvals).toMatchObject([{ by: { login: 'bob' } }]);
  });

  test('what was rejected still answers', async () => {
    const pull = left('rejected');
    await stage.mia.says(pull, '/status');
    await pull.hears(/^@mia: [\s\S]*Status: rejected/);
    expect((await pull.ledger()).ref).toBe(`refs/coxswain/closed/${pull.number}`);
  });

  test('a ledger that could not be read any more after a burst of words is gone on with', async () => {
    const pull = left('burst');
    await stage.mia.says(pull, '/status');
    await pull.hears(/^@mia: [\s\S]*Status: awaiting_approval/);
    await pull.reaches('awaiting_approval', { iteration: 0 });
    await stage.mia.says(pull, '/steer once more');
    await pull.reaches('awaiting_approval', { iteration: 1 });
    expect(flawsOf(await pull.ledger())).toEqual([]);
  });

  test('an issue that has a run gets no other', async () => {
    const { ada } = stage;
    const number = recording.runs.working;
    const issue = number - 1;
    await ada.says(issue, '/run');
    await ada.looksAt(issue).hears(new RegExp(`A run is already in progress in #${number}\\.`));
  });

  test('an attempt whose holder is gone is taken over when its lease has ended, and not before', async () => {
    const pull = left('working');
    await swept();
    const before = await pull.ledger();
    expect(before.events.map(({ type }) => type)).toEqual(['run_started', 'attempt_started']);
    const { standing } = before.state;
    if (standing.phase !== 'working') throw new Error(`#${pull.number} is ${standing.phase}`);
    clock.goOn(standing.hold.until);
    await pull.reaches('awaiting_approval', { iteration: 0 });
    const ledger = await pull.ledger();
    const { hold } = standing;
    expect(ledger.events).toContainEqual(expect.objectContaining({ type: 'hold_lost', hold }));
    expect(flawsOf(ledger)).toEqual([]);
  });
});

async function swept(): Promise<void> {
  await eventually('the App to have swept', async () => {
    // Our own answer, see `src/app/app.ts`.
    const health = (await (await fetch(`${stage.app.url}/healthz`)).json()) as { last_sweep: string | null };
    return health.last_sweep === null ? undefined : true;
  });
}
