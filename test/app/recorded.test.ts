import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Left, recording } from '../ledger/recording.ts';
import type { AppFixture } from './app-fixture.ts';
import { eventually } from './eventually.ts';
import { problemsIn } from './ledger-content.ts';
import type { PullClient } from './pull-client.ts';
import { type Clock, startRecordedFixture } from './recorded-fixture.ts';

/** The previous version was stopped and this one started: each run continues from where it was. */
let fixture: AppFixture;
let clock: Clock;

beforeAll(async () => {
  ({ fixture, clock } = await startRecordedFixture());
});

afterAll(async () => {
  const warnings = fixture.app.warnings();
  await fixture.end();
  expect(warnings).toEqual([]);
});

const left = (as: Left): PullClient => fixture.ada.looksAt(recording.runs[as]);

describe('after an upgrade', () => {
  test('a run that waits for an approval can be approved', async () => {
    const pull = left('awaiting_approval');
    await fixture.bob.says(pull, `/approve ${await pull.head()}`);
    await pull.waitForPhase('approved', { iteration: 1 });
    await pull.waitForDraft(false);
    const ledger = await pull.ledger();
    expect(ledger.state.approvals).toMatchObject([{ by: { login: 'bob' } }]);
    expect(problemsIn(ledger)).toEqual([]);
  });

  test('an approved run stays approved because the approving comment still exists', async () => {
    const pull = left('approved');
    const { source } = (await pull.ledger()).state.approvals[0] ?? {};
    const path = source?.from === 'comment' ? `/issues/comments/${source.comment_id}` : 'no comment';
    await eventually(`a request for ${path}`, () =>
      fixture.requests().find((request) => request.path.endsWith(path)),
    );
    await fixture.mia.says(pull, '/status');
    await pull.waitForComment(/^@mia: [\s\S]*Status: approved/);
    expect(await pull.snapshot()).toMatchObject({ draft: false, block: { phase: 'approved' } });
    expect((await pull.ledger()).state.approvals).toMatchObject([{ by: { login: 'bob' } }]);
  });

  test('a rejected run still answers queries', async () => {
    const pull = left('rejected');
    await fixture.mia.says(pull, '/status');
    await pull.waitForComment(/^@mia: [\s\S]*Status: rejected/);
    expect((await pull.ledger()).ref).toBe(`refs/coxswain/closed/${pull.number}`);
  });

  test('a ledger that became unreadable after a burst of comments is continued', async () => {
    const pull = left('burst');
    await fixture.mia.says(pull, '/status');
    await pull.waitForComment(/^@mia: [\s\S]*Status: awaiting_approval/);
    await pull.waitForPhase('awaiting_approval', { iteration: 0 });
    await fixture.mia.says(pull, '/steer once more');
    await pull.waitForPhase('awaiting_approval', { iteration: 1 });
    expect(problemsIn(await pull.ledger())).toEqual([]);
  });

  test('an issue with a run gets no second one', async () => {
    const { ada } = fixture;
    const number = recording.runs.working;
    const issue = number - 1;
    await ada.says(issue, '/run');
    await ada.looksAt(issue).waitForComment(new RegExp(`A run is already in progress in #${number}\\.`));
  });

  test('an attempt without a holder is taken over when its lease has expired, and not before', async () => {
    const pull = left('working');
    await waitForAnySweep();
    const before = await pull.ledger();
    expect(before.events.map(({ type }) => type)).toEqual(['run_started', 'attempt_started', 'sealed']);
    const { standing } = before.state;
    if (standing.phase !== 'working') throw new Error(`#${pull.number} is ${standing.phase}`);
    clock.resumeFrom(standing.hold.until);
    await pull.waitForPhase('awaiting_approval', { iteration: 0 });
    const ledger = await pull.ledger();
    const { hold } = standing;
    expect(ledger.events).toContainEqual(expect.objectContaining({ type: 'hold_lost', hold }));
    expect(problemsIn(ledger)).toEqual([]);
  });
});

async function waitForAnySweep(): Promise<void> {
  await eventually('a sweep of the App', async () => {
    // Our own response, see `src/app/app.ts`.
    const health = (await (await fetch(`${fixture.app.url}/healthz`)).json()) as {
      last_sweep: string | null;
    };
    return health.last_sweep === null ? undefined : true;
  });
}
