import { afterEach, expect, test } from 'vitest';
import { type AppFixture, prepareAppFixture, waitForDeliveries } from './app-fixture.ts';
import { Apps } from './apps.ts';
import { at } from './person.ts';

/** A repository without a configuration, and two processes of one App behind a load balancer. */
let fixture: AppFixture;
let apps: Apps;

afterEach(async () => {
  await apps.end();
  await fixture.end();
});

test('two Apps propose one configuration, and a run starts once it is merged', async () => {
  const files = { '.github/coxswain.yml': null, Makefile: 'test:\n\ttrue\n' };
  const variables = { COXSWAIN_SWEEP_EVERY: '2s', ANTHROPIC_API_KEY: 'sk-ant-made-up' };
  fixture = await prepareAppFixture({ files, variables, unchecked: true });
  apps = await Apps.prepare(fixture, 2);
  await apps.start();
  const { ada, bob, grace } = fixture;
  const { data: issue } = await ada.octokit.rest.issues.create({ ...at, title: 'Make it fine' });
  const place = { ...at, issue_number: issue.number };
  const comment = (person: typeof ada, body: string) =>
    person.octokit.rest.issues.createComment({ ...place, body });
  await comment(grace, '/run');
  await waitForDeliveries(fixture);
  expect((await ada.octokit.rest.pulls.list(at)).data).toEqual([]);
  await Promise.all([comment(ada, '/run'), comment(bob, '/run'), comment(ada, '/run now')]);
  await waitForDeliveries(fixture);
  await apps.sweptSince(() => new Date());
  const { data: pulls } = await ada.octokit.rest.pulls.list({ ...at, state: 'all' });
  expect(pulls.map(({ head, user }) => `${user?.login} ${head.ref}`)).toEqual([
    'coxswain[bot] coxswain-setup',
  ]);
  const { data: comments } = await ada.octokit.rest.issues.listComments(place);
  const replies = comments.filter(({ user }) => user?.login === 'coxswain[bot]');
  expect(replies.filter(({ body = '' }) => body.includes('proposes one'))).toHaveLength(3);
  await fixture.mia.octokit.rest.pulls.merge({ ...at, pull_number: pulls[0]?.number ?? 0 });
  await comment(ada, '/run');
  await waitForDeliveries(fixture);
  const { data: after } = await ada.octokit.rest.pulls.list(at);
  expect(after.map(({ head }) => head.ref)).toEqual([expect.stringMatching(/^coxswain\/make-it-fine-/)]);
});
