import type { RequestHook } from '@coxswain/forge';
import { afterEach, expect, test } from 'vitest';
import { type AppFixture, permissions, prepareAppFixture, waitForFirstSweep } from './app-fixture.ts';
import { at } from './person.ts';

/** The App is killed around the pushes that hold work and that put it on the branch. */
let fixture: AppFixture;
afterEach(() => fixture?.end());

interface Kill {
  /** Which push from now on, counted from 1; 0 for none. */
  left: number;
  when: 'before' | 'after';
  restarted: Promise<void>;
}

/** A running App that is killed at a push, and started again. */
async function startWith(kill: Kill): Promise<void> {
  const onRequest: RequestHook = async ({ method, path }, next) => {
    if (method !== 'POST' || !path.endsWith('/git-receive-pack') || kill.left === 0) return next();
    kill.left -= 1;
    if (kill.left > 0) return next();
    if (kill.when === 'after') await next();
    kill.restarted = restart();
    return 'drop';
  };
  fixture = await prepareAppFixture({
    permissions: { ...permissions, workflows: 'write' },
    unchecked: true,
    onRequest,
  });
  await fixture.start();
}

async function restart(): Promise<void> {
  const last = fixture.processes.at(-1);
  last?.kill();
  await last?.ended;
  await fixture.start();
  await waitForFirstSweep(fixture);
}

test.each([
  // The record of /allow, the lease, and the commit together with its record.
  [1, 'before'],
  [2, 'after'],
  [3, 'before'],
  [3, 'after'],
] as const)('killed at push %i after /allow (%s it), the held commit lands once', async (left, when) => {
  const kill: Kill = { left: 0, when, restarted: Promise.resolve() };
  await startWith(kill);
  const { ada } = fixture;
  const pull = await ada.starts('agent: workflow');
  await pull.waitForPhase('awaiting_permission');
  const { state } = await pull.ledger();
  const held = 'held' in state.standing ? (state.standing.held?.work.head ?? '') : '';

  kill.left = left;
  await ada.says(pull, '/allow');
  await pull.waitForPhase('awaiting_approval');
  await kill.restarted;
  expect(kill.left).toBe(0);
  expect(await pull.head()).toBe(held);
  const { events } = await pull.ledger();
  expect(events.filter(({ type }) => type === 'work_finished')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'work_held')).toHaveLength(1);
});

test.each(['before', 'after'] as const)(
  'killed %s the push that holds work, nothing is on the branch',
  async (when) => {
    const kill: Kill = { left: 0, when, restarted: Promise.resolve() };
    await startWith(kill);
    const { ada, barrier } = fixture;
    const pull = await ada.starts(`agent: wait-workflow ${barrier.path}`);
    await barrier.reached();
    kill.left = 1;
    barrier.open();
    await pull.waitForPhase('awaiting_permission');
    await kill.restarted;
    expect(kill.left).toBe(0);
    const { data } = await ada.octokit.rest.pulls.listFiles({ ...at, pull_number: pull.number });
    expect(data).toEqual([]);
    await ada.says(pull, '/allow');
    await pull.waitForPhase('awaiting_approval');
  },
);
