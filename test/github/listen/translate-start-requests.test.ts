import { describe, expect, test } from 'vitest';
import { eventsIn, noRuns } from '../../../src/github/events/delivery.ts';
import { readActionEvent } from '../../../src/github/events/payloads.ts';
import { translate } from '../../../src/github/listen/translate.ts';
import { client, expectOnlyStubbedRequests, stubRole } from '../octokit/github.ts';
import * as deliveries from './deliveries.ts';
import { translateDelivery } from './translating.ts';

expectOnlyStubbedRequests();

describe('a request for a run', () => {
  test('is the trigger label on an issue, with one id however often it is set', async () => {
    stubRole('ada', 'triage');
    expect(await translateDelivery('issues', deliveries.labeled('coxswain', { number: 3 }))).toMatchObject([
      {
        kind: 'start',
        request: {
          cause: 'issue:3:run',
          at: '2026-11-21T12:00:09Z',
          by: { login: 'ada', id: deliveries.idOf('ada'), role: 'triage', bot: false },
          issue: { number: 3, title: 'Fix the flaky test', body: 'Words', open: true },
          adopt: null,
          text: '',
          source: null,
        },
      },
    ]);
  });

  test('by a bot, or on a closed issue, is passed on as such', async () => {
    const payload = deliveries.labeled('coxswain', { sender: 'triage[bot]', state: 'closed', body: null });
    expect(await translateDelivery('issues', payload)).toMatchObject([
      { request: { by: { role: 'none', bot: true }, issue: { open: false, body: '' } } },
    ]);
  });

  test('is the trigger label in whatever case people write it', async () => {
    stubRole('ada', 'triage');
    expect(await translateDelivery('issues', deliveries.labeled('Coxswain', { number: 3 }))).toMatchObject([
      { kind: 'start', request: { cause: 'issue:3:run' } },
    ]);
  });

  test('is not any other label', async () => {
    expect(await translateDelivery('issues', deliveries.labeled('bug'))).toEqual([]);
  });

  test('is /run on an issue', async () => {
    stubRole('ada', 'write');
    const payload = deliveries.comment({ says: '/run only the parser', pull: false, labels: [] });
    expect(await translateDelivery('issue_comment', payload)).toMatchObject([
      {
        kind: 'start',
        request: {
          cause: 'comment:555@2026-11-21T12:00:00Z',
          issue: { number: 7 },
          adopt: null,
          text: 'only the parser',
          source: { from: 'comment', comment_id: 555 },
        },
      },
    ]);
  });

  test('is /run on a pull request, which is then adopted', async () => {
    stubRole('ada', 'write');
    expect(
      await translateDelivery('issue_comment', deliveries.comment({ says: '/run finish this', labels: [] })),
    ).toMatchObject([{ kind: 'start', request: { issue: null, adopt: { number: 7 }, text: 'finish this' } }]);
  });

  test('is a workflow started manually with a prompt', async () => {
    stubRole('ada', 'write');
    const payload = {
      inputs: { prompt: 'Fix it', agent: '' },
      ref: 'refs/heads/main',
      repository: deliveries.repository,
      sender: deliveries.user('ada'),
    };
    const [dispatch] = readActionEvent('workflow_dispatch', payload, { run_id: 77 });
    if (dispatch?.kind !== 'dispatch') throw new Error('the dispatch was not read');
    const context = {
      octokit: client(),
      trigger: 'coxswain',
      own: { login: 'github-actions[bot]', app: { slug: 'github-actions' } },
    };
    expect(await translate(dispatch, context)).toMatchObject([
      {
        kind: 'start',
        request: {
          cause: 'dispatch:77',
          at: '2026-11-21T12:00:00.000Z',
          text: 'Fix it',
          source: { from: 'dispatch', workflow_run_id: 77 },
        },
      },
    ]);
  });
});

test.each(['created', 'added'] as const)('an installation that is %s names its repositories', (action) => {
  const name = action === 'created' ? 'installation' : 'installation_repositories';
  expect(eventsIn({ name, payload: deliveries.installation(action) }, noRuns)).toMatchObject([
    {
      kind: 'installed',
      installation_id: 42,
      account: 'acme',
      repositories: [{ id: 4711, owner: 'acme', name: 'api', private: true }],
      removed: [],
    },
  ]);
});

test.each(['deleted', 'removed'] as const)('an installation that is %s names what it had', (action) => {
  const name = action === 'deleted' ? 'installation' : 'installation_repositories';
  expect(eventsIn({ name, payload: deliveries.installation(action) }, noRuns)).toMatchObject([
    { kind: 'installed', installation_id: 42, repositories: [], removed: [4711] },
  ]);
});
