import { afterEach, expect, test } from 'vitest';
import { openIteration } from '../../src/steering/iterations/iteration.ts';
import type { EventOf } from '../../src/steering/state/event.ts';
import type { State } from '../../src/steering/state/state.ts';
import { at, type GivenRun, type OpenRun, startGivenRun } from './given-run.ts';

/** A run with Mia's approval, and what she says while GitHub is asked about it for the last time. */
let run: GivenRun;

const finished = { phase: 'approved', finish: 'finished' } as const;

async function start(finish: string): Promise<void> {
  run = await startGivenRun(`approval: { finish: ${finish} }\n`);
  run.forge.seed.settings('acme/api', { allow_auto_merge: true });
}

afterEach(() => run.end());

async function approved(): Promise<State> {
  const iterations = [openIteration(0, '2026-11-22T09:00:00Z', { head: run.head, steers: [] })];
  return run.waiting({ standing: finished, approvals: [await run.approves(run.head)], iterations });
}

type Said = EventOf<'said'>['command'];

/** Records what Mia says as soon as the role of an approver has been read. */
function saysDuringCheck(open: OpenRun, command: Said): void {
  const time = '2026-11-22T10:00:00Z';
  const event: EventOf<'said'> = {
    ...{ type: 'said', id: `comment:999@${time}`, at: time, command },
    by: { login: 'mia', id: 3, role: 'maintain', bot: false },
    source: { from: 'comment', comment_id: 999, text_sha256: '', written_at: time },
  };
  run.repository.octokit.hook.after('request', async (_, { url }) => {
    if (url.includes('/permission')) await open.run.record(event);
  });
}

const words: readonly Said[] = [
  { type: 'reject', reason: 'No.' },
  { type: 'steer', prompt: 'Use another name.', now: false },
];

async function pull() {
  return (await run.people.ada.rest.pulls.get({ ...at, pull_number: run.number })).data;
}

test.each(words)('a /$type during the last check keeps a commit from being merged', async (command) => {
  await start('merge');
  const open = run.open(await approved());
  const state = await open.acts();
  saysDuringCheck(open, command);
  await open.run.perform({ id: 'x:merge', do: 'merge', head_sha: run.head, when: 'now' }, state);
  expect(open.events.map(({ type }) => type)).toContain('said');
  expect(await pull()).toMatchObject({ merged: false });
});

test.each(words)(
  'a /$type during the last check keeps a commit that waits from being merged',
  async (command) => {
    await start('auto-merge');
    const open = run.open(await approved());
    await open.acts();
    saysDuringCheck(open, command);
    await open.run.finishAgain();
    expect(open.events.map(({ type }) => type)).toContain('said');
    expect(await pull()).toMatchObject({ merged: false, auto_merge: null });
  },
);

test.each(words)('a /$type during the last check keeps the commit from turning green', async (command) => {
  await start('ready');
  const state = await approved();
  const open = run.open(state);
  saysDuringCheck(open, command);
  await open.run.present(state);
  expect(open.events.map(({ type }) => type)).toContain('said');
  expect(await run.conclusions(run.head)).not.toContain('success');
});
