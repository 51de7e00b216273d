import type { HookResult, RequestHook } from '@coxswain/forge';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../app/eventually.ts';
import { problemsIn } from '../app/ledger-content.ts';
import { ActionsFixture } from './actions-fixture.ts';
import { repositoryFiles, succeedingAgent } from './repository.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** What is done with a workflow's token starts no workflow, so no event says that the run is over. */

let fixture: ActionsFixture;

afterEach(async () => {
  await fixture.end();
});

/** A run that waits for approval and is then merged by the Action; returns its number. */
async function waitingRun(finish: 'merge' | 'auto-merge', onRequest?: RequestHook): Promise<number> {
  const path = '.github/coxswain.yml';
  const config = `${repositoryFiles[path]}approval: { finish: ${finish} }\n`;
  const files = { ...succeedingAgent, [path]: config };
  fixture = await ActionsFixture.start({ files, ...(onRequest && { onRequest }) });
  await fixture.labeledIssue();
  return Number((await fixture.onlyFinishedJob()).outputs['pull-request']);
}

/** What the ledger has of the end of the run. */
async function ending(number: number) {
  const ledger = await fixture.ledger(number);
  expect(problemsIn(ledger)).toEqual([]);
  return {
    closed: ledger.events.filter(({ type }) => type === 'closed'),
    standing: ledger.state.standing,
  };
}

const closed = [{ type: 'closed', merged: true, by: 'github-actions[bot]', base: 'main' }];
const standing = { phase: 'done', merged: true };

test.each(['merge', 'auto-merge'] as const)(
  'with `finish: %s` the job that merges also records that it did',
  async (finish) => {
    const number = await waitingRun(finish);
    await fixture.comment(number, '/approve');
    expect(await fixture.onlyFinishedJob()).toMatchObject({
      event: 'issue_comment',
      code: 0,
      outputs: { phase: 'done' },
    });
    expect(await fixture.pull(number)).toMatchObject({ merged: true });
    expect(await ending(number)).toMatchObject({ closed, standing });

    await fixture.sweep();
    await fixture.finishedJobs();
    expect((await ending(number)).closed).toHaveLength(1);
  },
);

test('a merge that GitHub does not show yet is recorded all the same, and once', async () => {
  const path = /^\/repos\/acme\/widgets\/pulls\/\d+$/;
  let before: HookResult | undefined;
  let isMerged = false;
  const number = await waitingRun('merge', async ({ method, path: asked }, next) => {
    if (method === 'PUT' && asked.endsWith('/merge')) isMerged = true;
    if (method !== 'GET' || !path.test(asked)) return next();
    if (!isMerged) before = await next();
    return isMerged && before !== undefined ? before : next();
  });
  await fixture.comment(number, '/approve');
  expect(await fixture.onlyFinishedJob()).toMatchObject({ code: 0, outputs: { phase: 'done' } });
  before = undefined;
  expect(await ending(number)).toMatchObject({ closed, standing });
  const webhook = fixture.events.findLast(
    ({ name, payload }) => name === 'pull_request' && payload['action'] === 'closed',
  );
  if (webhook === undefined) throw new Error('nothing was closed');
  fixture.start(webhook);
  expect(await fixture.onlyFinishedJob()).toMatchObject({ event: 'pull_request', code: 0 });
  expect((await ending(number)).closed).toHaveLength(1);
});

test('a merge whose answer was lost is recorded all the same, and once', async () => {
  const number = await waitingRun('merge');
  fixture.forge.seed.fault({ method: 'PUT', path: /\/merge$/, times: 1, drop: 'after' });
  await fixture.comment(number, '/approve');
  await fixture.finishedJobs();
  expect(await fixture.pull(number)).toMatchObject({ merged: true });
  await fixture.sweep();
  await fixture.finishedJobs();
  expect(await ending(number)).toMatchObject({ closed, standing });
});

test('a merge whose job was lost before it could record it is recorded by the sweep', async () => {
  const number = await waitingRun('merge');
  fixture.listening = false;
  await fixture.comment(number, '/approve');
  // The job waits before it asks again, and does not live to do so.
  fixture.forge.seed.fault({ method: 'PUT', path: /\/merge$/, times: 1, drop: 'after' });
  const { child } = fixture.startForLastEvent();
  await eventually('the merge', async () => (await fixture.pull(number)).merged || undefined);
  child.kill('SIGKILL');
  await fixture.finishedJobs();
  expect((await ending(number)).closed).toEqual([]);
  expect(await fixture.sweep()).toMatchObject({ code: 0, outputs: { phase: 'done' } });
  expect(await ending(number)).toMatchObject({ closed, standing });
});
