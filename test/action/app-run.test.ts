import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../../src/app/app.ts';
import { withDefaults } from '../../src/app/environment/app-settings.ts';
import type { AppEnvironment } from '../../src/app/environment/environment.ts';
import { webhookPath } from '../../src/app/webhook-server.ts';
import { eventually } from '../app/eventually.ts';
import { ledgerKey } from '../ledger/identity.ts';
import { ActionsFixture, at, name } from './actions-fixture.ts';
import { succeedingAgent } from './repository.ts';
import { permissions } from './workflow.ts';

// Every job is a separate process with Git, an agent and verifiers.
/** An App and a workflow in one repository: the run's first event determines which of them acts. */

let fixture: ActionsFixture;
let data: string;
/** The App's run, which waits for a human. */
let number: number;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'coxswain-app-'));
  fixture = await ActionsFixture.start({ files: succeedingAgent, listening: false });
  number = await startedByApp();
});
afterAll(async () => {
  await fixture.end();
  rmSync(data, { recursive: true, force: true });
});

/** Starts a run with an App, which is stopped when the run waits for a human. */
async function startedByApp(): Promise<number> {
  const { seed, apiUrl } = fixture.forge;
  const registered = seed.createApp({
    slug: 'coxswain',
    owner: 'acme',
    webhook_url: '',
    webhook_secret: 'a secret of this test',
    permissions: { ...permissions, metadata: 'read' },
    events: ['issues'],
  });
  const environment: AppEnvironment = {
    ...withDefaults({
      ...{ appId: registered.id, privateKey: registered.private_key, ledgerKey, apiUrl, data },
      ...{ concurrency: 1, sandbox: 'preferred' },
    }),
    webhookSecret: registered.webhook_secret,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    webhookProxyUrl: null,
    signIn: null,
    pageToken: null,
  };
  const app = await startApp(environment, pino({ level: 'silent' }));
  seed.setWebhook(registered, { url: `${app.url}${webhookPath}` });
  seed.installApp(registered, [name]);
  await fixture.labeledIssue();
  const started = await eventually('a run of the App that waits', async () => {
    const { data: pulls } = await fixture.ada.rest.pulls.list({ ...at, state: 'open' });
    return pulls.find(({ labels }) => labels.some((label) => label.name === 'coxswain:awaiting_approval'))
      ?.number;
  });
  await app.stop();
  return started;
}

test('the Action does nothing at all for a run of the App, not even in its ledger', async () => {
  const before = await fixture.pull(number);
  const { commits } = await fixture.ledger(number);
  const comment_id = await fixture.comment(number, '/steer Do it my way.');
  fixture.forge.requests.clear();
  const { outcome } = fixture.startForLastEvent();
  expect(await outcome).toMatchObject({ code: 0, outputs: {} });
  const written = fixture.forge.requests.api.filter(({ method }) => method !== 'GET');
  expect(written.map(({ route }) => route)).toEqual(['/graphql']);
  expect((await fixture.ledger(number)).commits).toEqual(commits);
  expect(await fixture.pull(number)).toMatchObject({ body: before.body, head: { sha: before.head.sha } });
  const { data: reactions } = await fixture.ada.rest.reactions.listForIssueComment({ ...at, comment_id });
  expect(reactions).toEqual([]);

  expect(await fixture.sweep()).toMatchObject({ code: 0, outputs: {} });
  expect((await fixture.ledger(number)).commits).toEqual(commits);
});

test('a command by hand on a run of the App is refused, and says where to write it', async () => {
  const { commits } = await fixture.ledger(number);
  await fixture.finishedJobs();
  const { code, log } = await fixture.dispatch({ run: String(number), command: '/steer Do it my way.' });
  expect(code).toBe(1);
  expect(log).toContain(
    `::error::the App presents acme/widgets#${number}, and only it writes there: say it as`,
  );
  expect((await fixture.ledger(number)).commits).toEqual(commits);
});

test('an issue for which the App has started a run gets no second one', async () => {
  const labeled = fixture.events.find(({ name: event, payload }) => {
    return event === 'issues' && payload['action'] === 'labeled';
  });
  if (labeled === undefined) throw new Error('there was no event for the label');
  expect(await fixture.start(labeled).outcome).toMatchObject({ code: 0 });
  const { data: pulls } = await fixture.ada.rest.pulls.list({ ...at, state: 'all' });
  expect(pulls).toHaveLength(1);
});
