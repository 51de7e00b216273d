import { describe, expect, test } from 'vitest';
import { awaitEvent, foreseen, outcomeOf } from '../../src/doors/speech/await-outcome.ts';
import type { LedgerStep } from '../../src/ledger/ledger-steps.ts';
import { possibleIn } from '../../src/steering/phases/table.ts';
import { allPhases, runIn } from '../steering/phases.ts';
import { ada, mia, rea, sha } from '../steering/samples.ts';
import type { Story } from '../steering/story.ts';
import { parseCommand } from '../steering/story-words.ts';

const web = 'https://github.com/acme/api';

/** What comes of a comment, as of the ledger's newest entry. */
function said(run: Story, by: typeof ada, text: string) {
  const before = run.state;
  run.says(by, text);
  const event = run.events.findLast(({ type }) => type === 'said');
  if (event === undefined) throw new Error('nothing was recorded');
  return outcomeOf({ before, event }, web);
}

describe('what came of a command', () => {
  test('that was accepted', async () => {
    expect(await said(runIn.awaiting_approval(), ada, '/reject no')).toEqual({ accepted: true });
  });

  test('that was refused is told with the words of the reply', async () => {
    const outcome = await said(runIn.awaiting_approval(), rea, '/approve');
    expect(outcome).toMatchObject({ accepted: false, refusal: { why: 'not_permitted', has: 'read' } });
    expect(outcome.reply).toContain('your role is read');
  });

  test('that waits is told with its place', async () => {
    const run = runIn.working().says(ada, '/steer one');
    const outcome = await said(run, ada, '/steer two');
    expect(outcome).toMatchObject({ accepted: true, place: 2 });
    expect(outcome.reply).toContain('Queued as steer 2');
  });

  test('that only asks is told as far as the state tells it', async () => {
    expect((await said(runIn.working(), rea, '/why')).reply).toBeDefined();
    expect(await said(runIn.working(), rea, '/diff')).toEqual({ accepted: true });
  });
});

describe.each(allPhases)('while %s', (phase) => {
  test('a refusal is foreseen as it comes', () => {
    for (const by of [ada, mia, rea]) {
      for (const name of possibleIn(runIn[phase]().state)) {
        const run = runIn[phase]();
        const text = `/${name} ${name === 'approve' ? run.state.head : (examples[name] ?? '')}`;
        const at = new Date(run.now).toISOString();
        const refusal = foreseen(run.state, parseCommand(text), { by, at });
        run.says(by, text);
        expect([by.login, name, run.refusal]).toEqual([by.login, name, refusal]);
      }
    }
  });
});

const examples: Readonly<Record<string, string>> = {
  ...{ steer: 'more', run: 'more', reject: 'no', answer: '1', spawn: 'do less', budget: '+5', dismiss: 'c1' },
};

test('a refusal that only the words bring about is foreseen, and an unknown role is in favour', () => {
  const { state } = runIn.awaiting_approval();
  const at = '2025-03-03T13:00:00Z';
  const by = { ...ada, role: null };
  expect(foreseen(state, parseCommand(`/approve ${state.head}`), { by, at })).toBeUndefined();
  expect(foreseen(state, parseCommand(`/approve ${sha(9)}`), { by, at })).toMatchObject({
    why: 'other_head',
  });
  expect(foreseen(state, parseCommand('/dismiss c9'), { by, at })).toMatchObject({ why: 'no_such_concern' });
});

describe('an event that is awaited', () => {
  const step = (seq: number): LedgerStep => {
    const { state } = runIn.working();
    const event = { type: 'sealed', id: `event ${seq}`, at: state.updated_at, key: 'k' } as const;
    return { seq, event, before: state, after: state };
  };

  test('is found once it is there, and older entries are not read again', async () => {
    const asked: number[] = [];
    const found = await awaitEvent('event 5', {
      seq: 3,
      waitMs: 60_000,
      stepsSince: async (seq) => {
        asked.push(seq);
        return seq < 4 ? [step(4)] : [step(5), step(6)];
      },
    });
    expect(found?.seq).toBe(5);
    expect(asked).toEqual([3, 4]);
  });

  test('that does not come is not there yet', async () => {
    const waiting = { seq: 3, waitMs: 1, stepsSince: async () => [step(4)] };
    expect(await awaitEvent('event 9', waiting)).toBeUndefined();
  });

  test('is not waited for by somebody who has left', async () => {
    const leaving = new AbortController();
    const stepsSince = async () => {
      leaving.abort();
      return [];
    };
    const waiting = { seq: 3, waitMs: 60_000, stepsSince, signal: leaving.signal };
    await expect(awaitEvent('event 9', waiting)).rejects.toThrow(/abort/i);
  });
});
