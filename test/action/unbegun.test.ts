import { afterEach, expect, test } from 'vitest';
import { ActionsFixture, at } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';

/** A job that was started by hand and ends between its pull request and its ledger. */

let fixture: ActionsFixture;

afterEach(async () => {
  await fixture.end();
});

test('is named on the pull request by the sweep, once, and goes on when it is run again', async () => {
  let isKilling = true;
  fixture = await ActionsFixture.start({
    files: succeedingAgent,
    onRequest: async ({ method, path }, next) => {
      const result = await next();
      if (isKilling && method === 'POST' && /\/issues\/\d+\/labels$/.test(path)) fixture.killJobs();
      return result;
    },
  });
  await fixture.dispatch({ prompt: 'Lower the price.' });
  isKilling = false;
  const [pull] = (await fixture.ada.rest.pulls.list(at)).data;
  const number = pull?.number ?? 0;
  const comments = async () => {
    const { data } = await fixture.ada.rest.issues.listComments({ ...at, issue_number: number });
    return data.map(({ body }) => body ?? '');
  };
  await fixture.sweep();
  expect(await comments()).toEqual([]);
  fixture.advanceClock({ hours: 1 });
  await fixture.sweep();
  await fixture.sweep();
  const [job] = /actions\/runs\/\d+/.exec((await comments()).join()) ?? [];
  expect(await comments()).toHaveLength(1);
  const runId = Number(job?.split('/').at(-1));
  const { data: repository } = await fixture.ada.rest.repos.get(at);
  const { data: sender } = await fixture.ada.rest.users.getAuthenticated();
  const payload = { ref: 'main', inputs: { prompt: 'Lower the price.' }, repository, sender };
  // Also by somebody else, because the pull request says what was asked for, and by whom.
  const environment = { GITHUB_RUN_ATTEMPT: '2', GITHUB_TRIGGERING_ACTOR: 'bob' };
  const again = await fixture.start({ name: 'workflow_dispatch', payload }, { runId, environment }).outcome;
  expect(again).toMatchObject({
    code: 0,
    outputs: { phase: 'awaiting_approval', 'pull-request': `${number}` },
  });
});

test('goes on when its job, which ended just after its ledger had begun, is run again', async () => {
  let isKilling = true;
  fixture = await ActionsFixture.start({
    files: succeedingAgent,
    onRequest: async ({ path }, next) => {
      const result = await next();
      if (isKilling && path.endsWith('/git-receive-pack') && (await isBegun())) fixture.killJobs();
      return result;
    },
  });
  const isBegun = async () => {
    const { data } = await fixture.ada.rest.git.listMatchingRefs({ ...at, ref: 'coxswain/' });
    return data.length > 0;
  };
  const number = await fixture.labeledIssue();
  await fixture.finishedJobs();
  isKilling = false;
  expect(await isBegun()).toBe(true);
  const labelled = fixture.events.find(({ payload }) => payload['action'] === 'labeled');
  if (labelled === undefined) throw new Error('no label was set');
  const again = await fixture.start(labelled).outcome;
  expect(again).toMatchObject({ code: 0, outputs: { phase: 'awaiting_approval' } });
  expect(await fixture.replies(number)).toEqual([]);
});
