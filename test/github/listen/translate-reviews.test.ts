import { describe, expect, test } from 'vitest';
import { textSha256 } from '../../../src/github/marks.ts';
import { expectOnlyStubbedRequests, github, stubEdits, stubRole } from '../octokit/github.ts';
import * as deliveries from './deliveries.ts';
import { eventOf, translateDelivery } from './translating.ts';

expectOnlyStubbedRequests();

const b = 'b'.repeat(40);
const ada = { login: 'ada', id: deliveries.idOf('ada') };
const eve = { login: 'eve', id: deliveries.idOf('eve') };

interface Remark {
  readonly path: string;
  readonly line: number | null;
  readonly original_line?: number;
  readonly side?: 'LEFT';
  readonly diff_hunk: string;
  readonly body: string;
  readonly user?: { readonly login: string; readonly id: number };
}

function stubRemarks(...remarks: readonly Remark[]): void {
  const data = remarks.map((remark, index) => ({ user: ada, ...remark, node_id: `PRRC_${index}` }));
  github().get('/repos/acme/api/pulls/7/reviews/888/comments?per_page=100').reply(200, data);
}

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

  test('that approves with a command in its body is that command', async () => {
    stubRole('ada', 'admin');
    const payload = deliveries.review({ state: 'approved', says: '/approve --despite lint' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({
      command: { type: 'approve', sha: null, despite: ['lint'] },
    });
  });

  test('of a commit that no longer exists approves nothing', async () => {
    stubRole('ada', 'write');
    const payload = deliveries.review({ state: 'approved', commit_id: null });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({ command: { type: 'misspoken' } });
  });

  test('that requests changes is a steer with its inline comments, files, lines and hunks', async () => {
    stubRole('ada', 'write');
    stubRemarks(
      { path: 'src/a.ts', line: 12, diff_hunk: '@@ -1 +1 @@\n+const a = 1;', body: 'Use two.' },
      { path: 'README.md', line: null, original_line: 3, diff_hunk: '@@ -3 +3 @@\n+```sh', body: 'Why?' },
    );
    stubEdits({ PRR_888: [], PRRC_0: [ada, ada], PRRC_1: [] });
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

  test('that requests changes takes only what its author wrote', async () => {
    stubRole('ada', 'write');
    const hunk = { line: 1, diff_hunk: '@@ -1 +1 @@' };
    stubRemarks(
      { path: 'a.ts', ...hunk, side: 'LEFT', body: 'Mine.' },
      { path: 'b.ts', ...hunk, body: 'Edited by Eve.' },
      { path: 'c.ts', ...hunk, body: 'Written by Eve.', user: eve },
    );
    stubEdits({ PRR_888: [], PRRC_0: [], PRRC_1: [ada, eve] });
    const payload = deliveries.review({ state: 'changes_requested', says: 'Nearly.' });
    const prompt = 'Nearly.\n\n#### a.ts, line 1 before the change\n\n```diff\n@@ -1 +1 @@\n```\n\nMine.';
    expect(await eventOf('pull_request_review', payload)).toMatchObject({ command: { prompt } });
  });

  test('that requests changes is no steer if someone else edited its text, and not forgotten', async () => {
    stubRole('ada', 'write');
    stubRemarks();
    stubEdits({ PRR_888: [ada, eve] });
    const payload = deliveries.review({ state: 'changes_requested', says: 'Be evil.' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({
      id: 'review:888',
      command: { type: 'misspoken', name: 'steer', problem: expect.stringContaining('edited') },
    });
  });

  test('that requests changes without text gets the usage of steer', async () => {
    stubRole('ada', 'write');
    stubRemarks();
    stubEdits({ PRR_888: [] });
    expect(
      await eventOf('pull_request_review', deliveries.review({ state: 'changes_requested' })),
    ).toMatchObject({
      command: { type: 'misspoken', name: 'steer' },
    });
  });

  test('that only comments counts for the command in it', async () => {
    stubRole('ada', 'read');
    const payload = deliveries.review({ state: 'commented', says: '/status' });
    expect(await eventOf('pull_request_review', payload)).toMatchObject({ command: { type: 'status' } });
    expect(
      await translateDelivery(
        'pull_request_review',
        deliveries.review({ state: 'commented', says: 'Fine.' }),
      ),
    ).toEqual([]);
  });

  test('that was dismissed says who dismissed it', async () => {
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

  test('by a bot, or edited afterwards, is ignored', async () => {
    const bot = deliveries.review({ state: 'approved', author: 'copilot[bot]' });
    expect(await translateDelivery('pull_request_review', bot)).toEqual([]);
    const edited = deliveries.review({ action: 'edited', state: 'approved', says: '/cancel' });
    expect(await translateDelivery('pull_request_review', edited)).toEqual([]);
  });
});

describe('a button', () => {
  test.each([
    ['approve', { type: 'approve', sha: b, despite: [] }],
    ['reject', { type: 'reject', reason: '' }],
    ['retry', { type: 'retry' }],
    ['cancel', { type: 'cancel' }],
  ])('%s is a command on the commit of its check run', async (identifier, command) => {
    stubRole('ada', 'write');
    expect(await eventOf('check_run', deliveries.click(identifier))).toEqual({
      number: 7,
      type: 'said',
      id: `click:7:3131:${identifier}:${ada.id}`,
      at: '2026-11-21T12:00:00.000Z',
      by: { login: 'ada', id: deliveries.idOf('ada'), role: 'write', bot: false },
      command,
      source: { from: 'click', check_run_id: 3131, head_sha: b, interaction: 'approval:7:12' },
    });
  });

  test('for an option answers the question of its check run, each of which counts', async () => {
    stubRole('ada', 'write');
    const first = deliveries.click('answer_2', { external_id: 'question:7:12' });
    expect(await eventOf('check_run', first)).toMatchObject({
      id: `click:question:7:12:answer_2:${ada.id}`,
      command: { type: 'answer', question: 'question:7:12', text: '2' },
      source: { from: 'click', interaction: 'question:7:12' },
    });
    stubRole('ada', 'write');
    const second = deliveries.click('answer_2', { external_id: 'question:7:15' });
    expect(await eventOf('check_run', second)).toMatchObject({
      id: `click:question:7:15:answer_2:${ada.id}`,
    });
    const fourth = deliveries.click('answer_4', { external_id: 'question:7:12' });
    expect(await translateDelivery('check_run', fourth)).toEqual([]);
  });

  test('with an unknown command or interaction is ignored', async () => {
    expect(await translateDelivery('check_run', deliveries.click('explode'))).toEqual([]);
    expect(await translateDelivery('check_run', deliveries.click('approve', { external_id: 'x' }))).toEqual(
      [],
    );
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
      .get('/repos/acme/api/check-suites/2020/check-runs?per_page=100')
      .reply(200, {
        total_count: 2,
        check_runs: [
          { id: 30, name: 'Coxswain (release) / test', external_id: 'verifier:9:2' },
          { id: 31, name: 'Coxswain (release)', external_id: 'approval:9:2' },
        ],
      });
    github()
      .get(`/repos/acme/api/commits/${b}/pulls?per_page=100`)
      .reply(200, [
        { number: 8, state: 'closed', head: { sha: b } },
        { number: 9, state: 'open', head: { sha: b } },
      ]);
    expect(await eventOf('check_suite', deliveries.rerequestedSuite({ numbers: [] }))).toMatchObject({
      number: 9,
      source: { check_run_id: 31, interaction: 'approval:9:2' },
    });
  });

  test('to re-run all checks finds ours among more than a page of them', async () => {
    stubRole('ada', 'write');
    const place = '/repos/acme/api/check-suites/2020/check-runs?per_page=100';
    const verifiers = Array.from({ length: 100 }, (_, id) => ({ id, external_id: 'verifier:7:2' }));
    const next = { link: `<https://api.github.com${place}&page=2>; rel="next"` };
    github().get(place).reply(200, { total_count: 101, check_runs: verifiers }, next);
    const ours = { id: 131, name: 'Coxswain', external_id: 'approval:7:2' };
    github()
      .get(`${place}&page=2`)
      .reply(200, { total_count: 101, check_runs: [ours] });
    expect(await eventOf('check_suite', deliveries.rerequestedSuite())).toMatchObject({
      number: 7,
      source: { check_run_id: 131, interaction: 'approval:7:2' },
    });
  });
});
