import { describe, expect, test } from 'vitest';
import { hear } from '../../../src/github/listen/hear.ts';
import type { Hearing } from '../../../src/github/listen/hearing.ts';
import { readActionEvent, readPayload } from '../../../src/github/listen/payloads.ts';
import { textSha256 } from '../../../src/github/listen/said.ts';
import { GitHubFault } from '../../../src/github/octokit/fault.ts';
import { client, expectOnlyStubbedRequests, github, stubRole } from '../octokit/github.ts';
import * as deliveries from './deliveries.ts';

expectOnlyStubbedRequests();

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);

async function heard(name: string, payload: unknown, own = 'coxswain[bot]'): Promise<Hearing[]> {
  const ears = { octokit: client(), trigger: 'coxswain', own: { login: own } };
  const hearings: Hearing[] = [];
  for (const each of readPayload(name, payload)) hearings.push(...(await hear(each, ears)));
  return hearings;
}

async function eventOf(name: string, payload: unknown): Promise<unknown> {
  const [first, ...rest] = await heard(name, payload);
  expect(rest).toEqual([]);
  return first?.kind === 'event' ? { number: first.number, ...first.event } : first;
}

describe('a comment', () => {
  test('with a command is that command, by its author with the role of now', async () => {
    stubRole('ada', 'maintain');
    const says = '/steer Also fix tests';
    expect(await heard('issue_comment', deliveries.comment({ says }))).toEqual([
      {
        kind: 'event',
        repository: {
          id: 4711,
          owner: 'acme',
          name: 'api',
          default_branch: 'main',
          clone_url: 'https://github.com/acme/api.git',
          private: false,
        },
        installation_id: 42,
        number: 7,
        event: {
          type: 'said',
          id: 'comment:555@2026-11-21T12:00:00Z',
          at: '2026-11-21T12:00:00Z',
          by: { login: 'ada', role: 'maintain', bot: false },
          command: { type: 'steer', prompt: 'Also fix tests', now: false },
          source: {
            from: 'comment',
            comment_id: 555,
            text_sha256: textSha256(says),
            written_at: '2026-11-21T12:00:00Z',
          },
        },
      },
    ]);
  });

  test.each([
    ['quotes', '> /approve'],
    ['code', '```\n/approve\n```'],
    ['an HTML comment', '<!-- /approve -->\n\n<!--\n/approve\n-->'],
  ])('with a command in %s says nothing', async (_, says) => {
    expect(await heard('issue_comment', deliveries.comment({ says }))).toEqual([]);
  });

  test.each(['renovate[bot]', 'coxswain[bot]'])('of %s says nothing', async (author) => {
    expect(await heard('issue_comment', deliveries.comment({ says: '/approve', author }))).toEqual([]);
  });

  test('of our own, written with a person’s token, is known by its marker', async () => {
    const says = '/approve\n\n<!-- coxswain:ask approval:7:3 -->';
    expect(await heard('issue_comment', deliveries.comment({ says }), 'ada')).toEqual([]);
    stubRole('ada', 'write');
    expect(await heard('issue_comment', deliveries.comment({ says: '/approve' }), 'ada')).toHaveLength(1);
  });

  test('by somebody GitHub does not know as a collaborator has no role', async () => {
    github()
      .get('/repos/acme/api/collaborators/eve/permission')
      .reply(404, { message: 'Not Found' }, { date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/steer x', author: 'eve' }));
    expect(event).toMatchObject({ by: { login: 'eve', role: 'none' } });
  });

  test('whose author’s role cannot be learned is a fault, neither a yes nor a no', async () => {
    github().get('/repos/acme/api/collaborators/ada/permission').times(3).reply(500);
    const hearing = heard('issue_comment', deliveries.comment({ says: '/approve' }));
    await expect(hearing).rejects.toBeInstanceOf(GitHubFault);
  });

  test('by someone with a role of the organisation’s own counts as what that is made from', async () => {
    github()
      .get('/repos/acme/api/collaborators/ada/permission')
      .reply(
        200,
        { permission: 'write', role_name: 'release captain' },
        { date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
      );
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/approve' }));
    expect(event).toMatchObject({ by: { role: 'write' } });
  });

  test('with a word said wrongly is heard, so that the usage can be told', async () => {
    stubRole('ada', 'write');
    const event = await eventOf('issue_comment', deliveries.comment({ says: '/steer' }));
    expect(event).toMatchObject({ command: { type: 'misspoken', name: 'steer' } });
  });

  test('on an issue commands nothing but /run', async () => {
    expect(await heard('issue_comment', deliveries.comment({ says: '/approve', pull: false }))).toEqual([]);
  });
});

describe('a changed comment', () => {
  const former = '/steer Also fix tests';

  test('has the new prompt when its author edited it', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/steer Fix the docs', former });
    expect(await eventOf('issue_comment', payload)).toEqual({
      number: 7,
      type: 'comment_changed',
      id: 'comment:555@2026-11-21T12:03:00Z',
      at: '2026-11-21T12:03:00Z',
      comment_id: 555,
      by_author: true,
      by: 'ada',
      text: 'Fix the docs',
    });
  });

  test('is told apart when somebody else edited it', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/steer Be evil', former, sender: 'eve' });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ by_author: false, by: 'eve' });
  });

  test('is never a new command', async () => {
    const payload = deliveries.comment({ action: 'edited', says: '/approve', former: 'hello' });
    expect(await eventOf('issue_comment', payload)).toMatchObject({ type: 'comment_changed', text: null });
  });

  test('that was deleted has no text and an id of its own', async () => {
    const payload = deliveries.comment({ action: 'deleted', says: former });
    expect(await eventOf('issue_comment', payload)).toMatchObject({
      id: 'comment:555:deleted',
      at: '2026-11-21T12:00:09Z',
      text: null,
      by_author: true,
    });
  });
});

describe('a review', () => {
  test('that approves is an approval of its commit', async () => {
    stubRole('ada', 'write');
    expect(await eventOf('pull_request_review', deliveries.review({ state: 'approved' }))).toMatchObject({
      type: 'said',
      id: 'review:888',
      at: '2026-11-21T12:01:00Z',
      command: { type: 'approve', sha: b, despite: [] },
      source: { from: 'review', review_id: 888, commit_id: b, text_sha256: textSha256('') },
    });
  });

  test('that approves in more words says what the words say', async () => {
    stubRole('ada', 'admin');
    const payload = deliveries.review({ state: 'approved', says: '/approve --despite lint' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({
      command: { type: 'approve', sha: null, despite: ['lint'] },
    });
  });

  test('of a commit that is gone approves nothing', async () => {
    stubRole('ada', 'write');
    const payload = deliveries.review({ state: 'approved', commit_id: null });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({ command: { type: 'misspoken' } });
  });

  test('that requests changes is a steer with its remarks, their files, lines and hunks', async () => {
    stubRole('ada', 'write');
    github()
      .get('/repos/acme/api/pulls/7/reviews/888/comments?per_page=100')
      .reply(200, [
        { path: 'src/a.ts', line: 12, diff_hunk: '@@ -1 +1 @@\n+const a = 1;', body: 'Use two.' },
        { path: 'README.md', line: null, original_line: 3, diff_hunk: '@@ -3 +3 @@\n+```sh', body: 'Why?' },
      ]);
    const payload = deliveries.review({ state: 'changes_requested', says: 'Nearly.' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({
      command: {
        type: 'steer',
        now: false,
        prompt:
          'Nearly.\n\n#### src/a.ts, line 12\n\n```diff\n@@ -1 +1 @@\n+const a = 1;\n```\n\nUse two.\n\n' +
          '#### README.md, line 3\n\n````diff\n@@ -3 +3 @@\n+```sh\n````\n\nWhy?',
      },
    });
  });

  test('that requests changes without a word gets the usage of steer', async () => {
    stubRole('ada', 'write');
    github().get('/repos/acme/api/pulls/7/reviews/888/comments?per_page=100').reply(200, []);
    expect(
      await eventOf('pull_request_review', deliveries.review({ state: 'changes_requested' })),
    ).toMatchObject({
      command: { type: 'misspoken', name: 'steer' },
    });
  });

  test('that only comments is heard for the command in it', async () => {
    stubRole('ada', 'read');
    const payload = deliveries.review({ state: 'commented', says: '/status' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({ command: { type: 'status' } });
    expect(
      await heard('pull_request_review', deliveries.review({ state: 'commented', says: 'Fine.' })),
    ).toEqual([]);
  });

  test('that was dismissed is told, with who dismissed it', async () => {
    const payload = deliveries.review({ action: 'dismissed', state: 'dismissed', sender: 'bob' });
    expect(await eventOf('pull_request_review', payload)).toEqual({
      number: 7,
      type: 'review_dismissed',
      id: 'review:888:dismissed',
      at: '2026-11-21T12:00:00Z',
      review_id: 888,
      by: 'bob',
    });
  });

  test('of a bot, or edited afterwards, says nothing', async () => {
    const bot = deliveries.review({ state: 'approved', author: 'copilot[bot]' });
    expect(await heard('pull_request_review', bot)).toEqual([]);
    const edited = deliveries.review({ action: 'edited', state: 'approved', says: '/cancel' });
    expect(await heard('pull_request_review', edited)).toEqual([]);
  });
});

describe('a button', () => {
  test.each([
    ['approve', { type: 'approve', sha: b, despite: [] }],
    ['reject', { type: 'reject', reason: 'rejected by button' }],
    ['retry', { type: 'retry' }],
    ['cancel', { type: 'cancel' }],
  ])('%s says its word for the commit of its check run', async (identifier, command) => {
    stubRole('ada', 'write');
    expect(await eventOf('check_run', deliveries.click(identifier))).toEqual({
      number: 7,
      type: 'said',
      id: `click:approval:7:12:${identifier}:ada`,
      at: '2026-11-21T12:00:00.000Z',
      by: { login: 'ada', role: 'write', bot: false },
      command,
      source: { from: 'click', check_run_id: 3131, head_sha: b, interaction: 'approval:7:12' },
    });
  });

  test('of a word or an interaction we do not know says nothing', async () => {
    expect(await heard('check_run', deliveries.click('explode'))).toEqual([]);
    expect(await heard('check_run', deliveries.click('approve', { external_id: 'x' }))).toEqual([]);
  });

  test('to re-run a check is /verify', async () => {
    stubRole('ada', 'write');
    const payload = deliveries.rerequestedRun({ name: 'Coxswain / test', external_id: '' });
    expect(await eventOf('check_run', payload)).toMatchObject({
      number: 7,
      id: 'recheck:2020@2026-11-21T12:02:00Z',
      at: '2026-11-21T12:02:00Z',
      command: { type: 'verify' },
      source: { from: 'click', check_run_id: 3131, head_sha: b },
    });
  });

  test('to re-run all checks is one /verify, on the pull request that has the commit', async () => {
    stubRole('ada', 'write');
    github()
      .get('/repos/acme/api/check-suites/2020/check-runs?check_name=Coxswain&per_page=1')
      .reply(200, { total_count: 1, check_runs: [{ id: 31, external_id: 'approval:9:2' }] });
    github()
      .get(`/repos/acme/api/commits/${b}/pulls`)
      .reply(200, [
        { number: 8, state: 'closed', head: { sha: b } },
        { number: 9, state: 'open', head: { sha: b } },
      ]);
    expect(await eventOf('check_suite', deliveries.rerequestedSuite({ numbers: [] }))).toMatchObject({
      number: 9,
      source: { check_run_id: 31, interaction: 'approval:9:2' },
    });
  });
});

describe('a push', () => {
  function stubHead(head: string): void {
    const end = { ref: 'coxswain/fix-1a2b', sha: head, repo: { id: 4711 } };
    github()
      .get('/repos/acme/api/pulls/7')
      .reply(200, { number: 7, head: end, base: end, labels: [], updated_at: '2026-11-21T12:09:00Z' });
  }

  function stubCompare(basehead: string, status: string): void {
    github().get(`/repos/acme/api/compare/${basehead}?per_page=1&page=2`).reply(200, { status });
  }

  test('of somebody else is told with whether it built upon what was there', async () => {
    stubHead(b);
    stubCompare(`${a}...${b}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toEqual({
      number: 7,
      type: 'pushed',
      id: `push:${b}`,
      at: '2026-11-21T12:00:00Z',
      before: a,
      head: b,
      forced: false,
      by: 'ada',
    });
  });

  test('that threw commits away was forced', async () => {
    stubHead(b);
    stubCompare(`${a}...${b}`, 'diverged');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ forced: true });
  });

  test('over a commit that is gone was forced', async () => {
    stubHead(b);
    github()
      .get(`/repos/acme/api/compare/${a}...${b}?per_page=1&page=2`)
      .reply(404, { message: 'Not Found' });
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ forced: true });
  });

  test('that is told late counts as the head of now', async () => {
    const c = 'c'.repeat(40);
    stubHead(c);
    stubCompare(`${a}...${c}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({
      id: `push:${c}`,
      head: c,
      at: '2026-11-21T12:09:00Z',
    });
  });

  test('that GitHub’s answer does not know yet is believed', async () => {
    stubHead(a);
    stubCompare(`${a}...${b}`, 'ahead');
    expect(await eventOf('pull_request', deliveries.synchronize(a, b))).toMatchObject({ head: b });
  });

  test('of our own the ledger knows already', async () => {
    expect(await heard('pull_request', deliveries.synchronize(a, b, { sender: 'coxswain[bot]' }))).toEqual(
      [],
    );
  });

  test('that deletes a branch is told to the run of its pull request', async () => {
    const end = { ref: 'coxswain/fix-1a2b', sha: b, repo: { id: 4711 } };
    github()
      .get('/repos/acme/api/pulls?head=acme%3Acoxswain%2Ffix-1a2b&state=all&per_page=100')
      .reply(200, [{ number: 7, state: 'closed', head: end, base: end, labels: [], merged_at: null }]);
    expect(await eventOf('push', deliveries.push())).toEqual({
      number: 7,
      type: 'branch_deleted',
      id: `branch_deleted:${b}@2026-11-21T12:04:00.000Z`,
      at: '2026-11-21T12:04:00.000Z',
      by: 'ada',
    });
  });
});

describe('a pull request', () => {
  test('that is merged, closed or reopened is told with who did it and when', async () => {
    expect(await eventOf('pull_request', deliveries.closed(true, { sender: 'bob' }))).toEqual({
      number: 7,
      type: 'closed',
      id: 'closed:2026-11-21T12:05:00Z',
      at: '2026-11-21T12:05:00Z',
      merged: true,
      by: 'bob',
    });
    expect(await eventOf('pull_request', deliveries.reopened())).toMatchObject({
      type: 'reopened',
      id: 'reopened:2026-11-21T12:00:00Z',
      by: 'ada',
    });
  });

  test('whose body was edited, by us too, is told with both texts', async () => {
    const payload = deliveries.bodyEdited('old', 'new', { sender: 'coxswain[bot]' });
    expect(await heard('pull_request', payload)).toMatchObject([
      {
        kind: 'body_edited',
        number: 7,
        before: 'old',
        after: 'new',
        by: { login: 'coxswain[bot]', bot: true },
      },
    ]);
  });
});

describe('a wish for a run', () => {
  test('is the trigger label on an issue, with one id however often it is set', async () => {
    stubRole('ada', 'triage');
    expect(await heard('issues', deliveries.labeled('coxswain', { number: 3 }))).toMatchObject([
      {
        kind: 'start',
        request: {
          cause: 'issue:3:run',
          at: '2026-11-21T12:00:09Z',
          by: { login: 'ada', role: 'triage', bot: false },
          issue: { number: 3, title: 'Fix the flaky test', body: 'Words', open: true },
          adopt: null,
          text: '',
          source: null,
        },
      },
    ]);
  });

  test('by a bot, or on a closed issue, is passed on with those facts', async () => {
    const payload = deliveries.labeled('coxswain', { sender: 'triage[bot]', state: 'closed', body: null });
    expect(await heard('issues', payload)).toMatchObject([
      { request: { by: { role: 'none', bot: true }, issue: { open: false, body: '' } } },
    ]);
  });

  test('is not any other label', async () => {
    expect(await heard('issues', deliveries.labeled('bug'))).toEqual([]);
  });

  test('is /run on an issue', async () => {
    stubRole('ada', 'write');
    const payload = deliveries.comment({ says: '/run only the parser', pull: false, labels: [] });
    expect(await heard('issue_comment', payload)).toMatchObject([
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

  test('is /run on a pull request, which is to be adopted', async () => {
    stubRole('ada', 'write');
    expect(
      await heard('issue_comment', deliveries.comment({ says: '/run finish this', labels: [] })),
    ).toMatchObject([{ kind: 'start', request: { issue: null, adopt: { number: 7 }, text: 'finish this' } }]);
  });

  test('is a workflow started by hand with a prompt', async () => {
    stubRole('ada', 'write');
    const payload = {
      inputs: { prompt: 'Fix it', agent: '' },
      ref: 'refs/heads/main',
      repository: deliveries.repository,
      sender: deliveries.user('ada'),
    };
    const [dispatch] = readActionEvent('workflow_dispatch', payload, { run_id: 77 });
    if (dispatch === undefined) throw new Error('the dispatch was not read');
    const ears = { octokit: client(), trigger: 'coxswain', own: { login: 'github-actions[bot]' } };
    expect(await hear(dispatch, ears)).toMatchObject([
      {
        kind: 'start',
        request: {
          cause: 'dispatch:77',
          at: '2026-11-21T12:00:00.000Z',
          installation_id: null,
          text: 'Fix it',
          source: { from: 'dispatch', workflow_run_id: 77 },
        },
      },
    ]);
  });
});

test('the clock of a workflow asks for a sweep', async () => {
  const payload = { schedule: '0 * * * *', repository: deliveries.repository };
  const [schedule] = readActionEvent('schedule', payload, { run_id: 78 });
  if (schedule === undefined) throw new Error('the schedule was not read');
  const ears = { octokit: client(), trigger: 'coxswain', own: { login: 'x' } };
  expect(await hear(schedule, ears)).toMatchObject([{ kind: 'sweep', repository: { id: 4711 } }]);
});

test.each(['created', 'added'] as const)(
  'an installation that is %s names its repositories',
  async (action) => {
    const name = action === 'created' ? 'installation' : 'installation_repositories';
    expect(await heard(name, deliveries.installation(action))).toEqual([
      {
        kind: 'installed',
        installation_id: 42,
        account: 'acme',
        repositories: [{ id: 4711, owner: 'acme', name: 'api', private: true }],
      },
    ]);
  },
);
