import { expect, test } from 'vitest';
import { decide } from '../../src/steering/decide.ts';
import { record } from '../../src/steering/loop.ts';
import type { Person } from '../../src/steering/shapes/people.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import type { Ledger } from '../../src/steering/state/ports.ts';
import type { State } from '../../src/steering/state/state.ts';
import { ada, bob, rea } from './samples.ts';
import { story } from './story.ts';

/** A ledger in memory, with its events' ids. */
class MemoryLedger implements Pick<Ledger, 'record'> {
  readonly ids: string[] = [];
  state: State;

  constructor(state: State) {
    this.state = state;
  }

  readonly record: Ledger['record'] = async (event, decide) => {
    const verdict = this.ids.includes(event.id) ? { outcome: 'nothing' as const } : decide(this.state);
    if (verdict.outcome === 'nothing') return { state: this.state, fresh: false };
    this.ids.push(event.id);
    this.state = verdict.state;
    return { state: this.state, fresh: true };
  };
}

/** A click on Approve: GitHub names no time for it, so all clicks on a button have one id. */
function click(by: Person, { head }: State, at = '2025-03-03T13:00:00Z'): EventOf<'said'> {
  return {
    ...{
      type: 'said',
      id: 'click:7:9:approve:1',
      at,
      by,
      command: { type: 'approve', sha: head, despite: [] },
    },
    source: { from: 'click', check_run_id: 9, head_sha: head, interaction: 'approval:7:4' },
  };
}

test('a click counts once, however often it is delivered', async () => {
  const { state } = story({ approval: { required: 2 } })
    .starts()
    .works();
  const ledger = new MemoryLedger(state);
  expect(await record(click(ada, state), ledger)).toMatchObject({ fresh: true });
  expect(await record(click(ada, state), ledger)).toMatchObject({ fresh: false });
  expect(ledger.state.approvals).toHaveLength(1);
});

test('a click that was refused can be repeated when the reason is gone', async () => {
  const { state } = story().starts().works();
  const ledger = new MemoryLedger(state);
  const reader = { ...ada, role: 'read' as const };
  expect(await record(click(reader, state), ledger)).toMatchObject({ fresh: true });
  expect(ledger.state.standing.phase).toBe('awaiting_approval');
  await record(click(ada, state, '2025-03-03T13:05:00Z'), ledger);
  expect(ledger.state.standing.phase).toBe('approved');
});

function clickOnReject(by: Person, { head }: State): EventOf<'said'> {
  const id = `click:7:9:reject:${by.id}`;
  const source = { from: 'click', check_run_id: 9, head_sha: head, interaction: 'approval:7:4' } as const;
  const at = '2025-03-03T13:00:00Z';
  return { type: 'said', id, at, by, command: { type: 'reject', reason: '' }, source };
}

test('a click on Reject asks why, each person once, and changes nothing until somebody says it', async () => {
  const { state } = story().starts().works();
  const ledger = new MemoryLedger(state);
  for (const by of [ada, ada, bob]) await record(clickOnReject(by, state), ledger);
  const replies = ledger.state.owed.filter((effect) => effect.do === 'reply');
  expect(replies).toMatchObject([
    { to: 'ada', words: { say: 'ask_reason' } },
    { to: 'bob', words: { say: 'ask_reason' } },
  ]);
  expect(ledger.state.standing).toMatchObject({
    phase: 'awaiting_approval',
    deadline: '2025-03-04T13:00:00.000Z',
  });
  expect(ledger.state.owed.some((effect) => effect.do === 'close')).toBe(false);
});

test('a click on Reject whose commit is no longer shown is refused, and one on a run at work stops nothing', () => {
  const run = story().starts().works();
  const before = run.state;
  run.says(ada, '/retry').engine.takes();
  const asked = decide(run.state, clickOnReject(ada, run.state));
  expect(asked).toMatchObject({ outcome: 'next', state: { standing: run.state.standing } });
  const outdated = decide(run.state, clickOnReject(ada, { ...before, head: 'f'.repeat(40) }));
  expect(outdated).toMatchObject({ refuses: true, state: { standing: run.state.standing } });
});

test('a refused click is answered each time', async () => {
  const { state } = story().starts().works();
  const ledger = new MemoryLedger(state);
  await record(click(rea, state), ledger);
  await record(click(rea, state, '2025-03-03T13:05:00Z'), ledger);
  const replies = ledger.state.owed.filter((effect) => effect.do === 'reply');
  expect(replies.map(({ id }) => id)).toEqual([
    'click:7:9:approve:1@2025-03-03T13:00:00Z:reply',
    'click:7:9:approve:1@2025-03-03T13:05:00Z:reply',
  ]);
});

test('a click delivered again later counts once, too', async () => {
  const { state } = story({ approval: { required: 2 } })
    .starts()
    .works();
  const ledger = new MemoryLedger(state);
  await record(click(ada, state), ledger);
  await record(click(ada, state, '2025-03-03T14:00:00Z'), ledger);
  expect(ledger.ids).toEqual(['click:7:9:approve:1']);
});

test.each(['comment', 'review'] as const)('a %s that is refused is answered once', async (from) => {
  const { state } = story().starts().works();
  const ledger = new MemoryLedger(state);
  const { by, command, ...rest } = click(rea, state);
  const said = { ...rest, id: `${from}:5`, by, command };
  const times = { written_at: rest.at, text_sha256: '' };
  const source =
    from === 'comment'
      ? ({ from, comment_id: 5, ...times } as const)
      : ({ from, review_id: 5, commit_id: state.head, text_sha256: '' } as const);
  await record({ ...said, source }, ledger);
  await record({ ...said, source, at: '2025-03-03T14:00:00Z' }, ledger);
  expect(ledger.ids).toEqual([`${from}:5`]);
});
