import { describe, expect, test } from 'vitest';
import { sealedText, textSha256 } from '../../../src/github/marks.ts';
import { type Approvable, readApprovals } from '../../../src/github/read/read-approvals.ts';
import { newSealKey, parseSealKeys } from '../../../src/seal/seal-keys.ts';
import { openSeals } from '../../../src/seal/seals.ts';
import type { Role, Source } from '../../../src/steering/shapes/people.ts';
import { client, expectOnlyStubbedRequests, github, stubEdits, stubRole } from '../octokit/github.ts';

expectOnlyStubbedRequests();

const head = 'b'.repeat(40);
const other = 'c'.repeat(40);
const named = `/approve ${head}`;

const ada = { login: 'ada', id: 1 };
const eve = { login: 'eve', id: 9 };

const seals = openSeals(parseSealKeys(newSealKey()));

/** Where GitHub says that the branch was at `said_at`. */
let headThen: string | undefined = head;

const pull: Approvable = {
  where: { owner: 'acme', name: 'api', id: 4711 },
  number: 7,
  approval: { by: [{ role: 'write' }], required: 1, apps: [] },
  own: { login: 'coxswain[bot]', app: { id: 1 }, seals },
  headAt: async (time) => (time === said_at ? headThen : 'x'.repeat(40)),
};

const said_at = '2026-11-21T12:00:00Z';
const review: Source = { from: 'review', review_id: 88, commit_id: head, text_sha256: textSha256('') };
const click: Source = { from: 'click', check_run_id: 9, head_sha: head, interaction: 'approval:7:4' };

function comment(words = named): Source {
  return { from: 'comment', comment_id: 555, text_sha256: textSha256(words), written_at: said_at };
}

interface Claim {
  readonly despite?: readonly string[];
  readonly by?: { readonly login: string; readonly id: number };
  readonly place?: Partial<Approvable>;
}

/** What GitHub says about an approval that the ledger claims. */
async function standing(source: Source, { despite = [], by = ada, place = {} }: Claim = {}) {
  const person = { ...by, role: 'write' as Role, bot: false };
  const approval = { id: 'x', by: person, at: said_at, head_sha: head, source, despite };
  const [facts] = await readApprovals(client(), { ...pull, ...place }, [approval]);
  return facts;
}

interface Comment {
  readonly user?: object | null;
  readonly issue?: number;
  readonly app?: { readonly id: number; readonly slug: string };
  readonly edits?: Parameters<typeof stubEdits>[0][string];
}

function stubComment(body: string, { user = ada, issue = 7, app, edits = [] }: Comment = {}): void {
  const issue_url = `https://api.github.com/repos/acme/api/issues/${issue}`;
  const facts = { id: 555, node_id: 'IC_555', body, user, issue_url, created_at: said_at };
  const data = { ...facts, performed_via_github_app: app ?? null };
  github().get('/repos/acme/api/issues/comments/555').reply(200, data);
  if (issue === 7) stubEdits({ IC_555: edits });
}

interface Review {
  readonly state?: string;
  readonly body?: string;
  readonly commit_id?: string;
  readonly edits?: Comment['edits'];
}

function stubReview({ edits = [], ...said }: Review): void {
  const data = {
    id: 88,
    node_id: 'PRR_88',
    state: 'APPROVED',
    body: '',
    commit_id: head,
    user: ada,
    ...said,
  };
  github().get('/repos/acme/api/pulls/7/reviews/88').reply(200, data);
  if (said.state !== 'DISMISSED') stubEdits({ PRR_88: edits });
}

interface Check {
  readonly id?: number;
  readonly name?: string;
  readonly external_id: string;
  readonly app?: number;
}

/** Check runs on the head. */
function stubChecks(...checks: readonly Check[]): void {
  const check_runs = checks.map(({ app = 1, ...rest }) => ({
    id: 3,
    name: 'Coxswain',
    app: { id: app },
    ...rest,
  }));
  github()
    .get(`/repos/acme/api/commits/${head}/check-runs`)
    .query({ app_id: 1, filter: 'all', per_page: 100 })
    .reply(200, { total_count: check_runs.length, check_runs });
}

test('an approval is valid while its text and its author’s role are unchanged', async () => {
  stubComment('/approve');
  stubRole('ada', 'write');
  expect(await standing(comment('/approve'))).toEqual({ id: 'x', stands: true, why: '', role: 'write' });
});

test('an approval is void when its author loses the role', async () => {
  stubComment(named);
  stubRole('ada', 'read');
  expect(await standing(comment())).toMatchObject({
    stands: false,
    why: expect.stringContaining('role read'),
  });
});

test('an approval is void when somebody else has the login of its author now', async () => {
  stubReview({});
  github()
    .get('/repos/acme/api/collaborators/ada/permission')
    .reply(
      200,
      { permission: 'admin', role_name: 'admin', user: { ...ada, id: 99 } },
      { date: 'Sat, 21 Nov 2026 12:00:00 GMT' },
    );
  expect(await standing(review)).toMatchObject({ stands: false, why: expect.stringContaining('role none') });
});

test('a rule that names a person means neither their former login nor whoever has it now', async () => {
  const place = { approval: { by: [{ login: 'ada' }], required: 1, apps: [] } };
  stubReview({});
  const user = { ...ada, id: 99 };
  github()
    .get('/repos/acme/api/collaborators/ada/permission')
    .reply(200, { permission: 'read', role_name: 'read', user }, { date: 'Sat, 21 Nov 2026 12:00:00 GMT' });
  expect(await standing(review, { place })).toMatchObject({ stands: false });
  stubComment(named, { user: { ...ada, login: 'ada-lovelace' } });
  stubRole('ada-lovelace', 'write');
  expect(await standing(comment(), { place })).toMatchObject({ stands: false });
});

test('an author who changed their login is still its author, with the role they have now', async () => {
  stubComment(named, { user: { ...ada, login: 'ada-lovelace' } });
  stubRole('ada-lovelace', 'write');
  expect(await standing(comment())).toMatchObject({ stands: true });
});

test('overriding a failing verifier still requires the permission for it', async () => {
  const words = `${named} --despite test`;
  stubComment(words);
  stubRole('ada', 'write');
  expect(await standing(comment(words), { despite: ['test'] })).toMatchObject({ stands: false });
  stubComment(words);
  stubRole('ada', 'maintain');
  expect(await standing(comment(words), { despite: ['test'] })).toMatchObject({ stands: true });
});

test('several approvals need one question about who edited them', async () => {
  const issue_url = 'https://api.github.com/repos/acme/api/issues/7';
  for (const id of [555, 556]) {
    const data = { id, node_id: `IC_${id}`, body: named, user: ada, issue_url, created_at: said_at };
    github().get(`/repos/acme/api/issues/comments/${id}`).reply(200, data);
  }
  stubRole('ada', 'write');
  stubEdits({ IC_555: [], IC_556: [ada, eve] });
  const by = { ...ada, role: 'write' as Role, bot: false };
  const approvals = [comment(), { ...comment(), comment_id: 556 } as Source].map((source, index) => ({
    ...{ id: `x${index}`, by, at: said_at, head_sha: head, source, despite: [] },
  }));
  expect(await readApprovals(client(), pull, approvals)).toMatchObject([
    { id: 'x0', stands: true },
    { id: 'x1', stands: false },
  ]);
});

test('a comment that was edited or deleted approves nothing', async () => {
  stubComment('/approve --despite test');
  expect(await standing(comment())).toMatchObject({ stands: false, why: expect.stringContaining('edited') });
  github().get('/repos/acme/api/issues/comments/555').reply(404, { message: 'Not Found' });
  expect(await standing(comment())).toMatchObject({
    stands: false,
    why: expect.stringContaining('no longer exists'),
  });
});

describe('a comment that GitHub does not find', () => {
  const place = '/repos/acme/api/issues/comments/555';
  const notFound = (seconds: number) =>
    [404, { message: 'Not Found' }, { date: `Sat, 21 Nov 2026 12:0${seconds / 60}:00 GMT` }] as const;

  test('is asked for again if it was only just written', async () => {
    github()
      .get(place)
      .reply(...notFound(0));
    stubComment(named);
    stubRole('ada', 'write');
    expect(await standing(comment())).toMatchObject({ stands: true });
  });

  test('is gone if it is not found again', async () => {
    github()
      .get(place)
      .times(4)
      .reply(...notFound(0));
    expect(await standing(comment())).toMatchObject({ why: expect.stringContaining('no longer exists') });
  });

  test('is gone at once if it was written long ago', async () => {
    github()
      .get(place)
      .reply(...notFound(60));
    expect(await standing(comment())).toMatchObject({ why: expect.stringContaining('no longer exists') });
  });
});

describe('text that somebody else edited approves nothing', () => {
  test.each([
    ['last', [ada, eve], 'was edited by @eve'],
    ['before its author did', [ada, eve, ada], 'was edited by @eve'],
    ['and GitHub does not name them', [ada, null], 'GitHub does not say who edited the comment by @ada'],
  ])('in a comment: %s', async (_, edits, why) => {
    stubComment(named, { edits });
    expect(await standing(comment())).toMatchObject({ stands: false, why: expect.stringContaining(why) });
  });

  test('in a review', async () => {
    stubReview({ edits: [ada, eve, ada] });
    expect(await standing(review)).toMatchObject({
      stands: false,
      why: 'the review by @ada was edited by @eve',
    });
  });

  test('but what its author edited before it was recorded does', async () => {
    stubComment(named, { edits: [ada, ada] });
    stubRole('ada', 'write');
    expect(await standing(comment())).toMatchObject({ stands: true });
  });

  test('and neither does a review that its author edited afterwards', async () => {
    stubReview({ body: 'Looks good', edits: [ada, ada] });
    expect(await standing(review)).toMatchObject({ stands: false, why: 'the approval by @ada was edited' });
  });
});

describe('text that another App wrote for its author', () => {
  const app = { id: 5, slug: 'helper' };
  const us = { id: 1, slug: 'coxswain' };

  test.each([app, us])('approves only if the configuration lists it', async (by) => {
    stubComment(named, { app: by });
    expect(await standing(comment())).toMatchObject({
      stands: false,
      why: `the App ${by.slug} wrote the approval by @ada`,
    });
    stubComment(named, { app: by });
    stubRole('ada', 'write');
    const place = { approval: { ...pull.approval, apps: [by.slug] } };
    expect(await standing(comment(), { place })).toMatchObject({ stands: true });
  });

  test.each([7, 8])('approves if it was us, with the seal of a door for #7: here for #%i', async (number) => {
    const said = { at: said_at, door: 'page' } as const;
    const sealed = sealedText(named, { repository_id: 4711, number, user_id: ada.id }, said, seals);
    stubComment(sealed, { app: us });
    if (number === 7) stubRole('ada', 'write');
    expect(await standing(comment(sealed))).toMatchObject({ stands: number === 7 });
  });
});

describe('a comment that does not name its commit in full', () => {
  test.each(['/approve', `/approve ${head.slice(0, 12)}`])(
    '"%s" is about the head at that time',
    async (words) => {
      headThen = head;
      stubComment(words);
      stubRole('ada', 'write');
      expect(await standing(comment(words))).toMatchObject({ stands: true });
      headThen = other;
      stubComment(words);
      expect(await standing(comment(words))).toMatchObject({
        stands: false,
        why: `the head was ccccccc when @ada approved: to approve bbbbbbb, say "/approve ${head}"`,
      });
    },
  );

  test('approves nothing if GitHub does not say what the head was', async () => {
    headThen = undefined;
    stubComment('/approve');
    expect(await standing(comment('/approve'))).toMatchObject({
      stands: false,
      why: expect.stringMatching(
        /^GitHub does not say which commit was the head when @ada approved: to approve/,
      ),
    });
  });
});

describe('in a forged ledger', () => {
  test.each(['Looks good to me', '/steer approve it', '> /approve', `/approve ${other}`])(
    'someone’s real comment "%s" approves nothing',
    async (words) => {
      stubComment(words);
      expect(await standing(comment(words))).toMatchObject({ stands: false });
    },
  );

  test.each([
    ['someone else', eve],
    ['someone who took the login', { ...ada, id: 99 }],
    ['a deleted account', null],
  ])('a comment by %s approves nothing', async (_, user) => {
    stubComment(named, { user });
    expect(await standing(comment())).toMatchObject({ stands: false });
  });

  test('an approval on another pull request approves nothing here', async () => {
    stubComment('/approve', { issue: 8 });
    expect(await standing(comment())).toMatchObject({ stands: false });
  });

  test('an approval overrides no more than it says', async () => {
    stubComment(named);
    expect(await standing(comment(), { despite: ['test'] })).toMatchObject({ stands: false });
  });

  test.each([{ state: 'COMMENTED' }, { state: 'CHANGES_REQUESTED' }, { commit_id: other }])(
    'a review with %o approves nothing',
    async (said) => {
      stubReview(said);
      expect(await standing(review)).toMatchObject({ stands: false });
    },
  );

  test('a workflow approves nothing', async () => {
    expect(await standing({ from: 'dispatch', workflow_run_id: 5 })).toMatchObject({ stands: false });
  });
});

test('an approving review is valid, with or without a command', async () => {
  stubReview({});
  stubRole('ada', 'write');
  expect(await standing(review)).toMatchObject({ stands: true });
  const words = { ...review, text_sha256: textSha256('/approve') };
  stubReview({ state: 'COMMENTED', body: '/approve' });
  stubRole('ada', 'write');
  expect(await standing(words)).toMatchObject({ stands: true });
});

test('a review that was dismissed approves nothing', async () => {
  stubReview({ state: 'DISMISSED' });
  expect(await standing(review)).toMatchObject({ stands: false, why: expect.stringContaining('dismissed') });
});

describe('a click', () => {
  const button = { id: 9, external_id: 'approval:7:4' };
  const record = { name: 'Coxswain / ada clicked on Approve', external_id: 'click:7:9:approve:1' };

  test('is valid as long as our record of it exists, whatever the person is called now', async () => {
    stubChecks(button, record);
    stubRole('ada', 'write');
    expect(await standing(click)).toMatchObject({ stands: true });
  });

  test.each<[string, readonly Check[]]>([
    ['it was never recorded', [button]],
    ['another App recorded it', [button, { ...record, app: 2 }]],
    ['someone else clicked', [button, { ...record, external_id: 'click:7:9:approve:9' }]],
    ['it was another button', [button, { ...record, external_id: 'click:7:8:approve:1' }]],
    ['it was another kind of button', [button, { ...record, external_id: 'click:7:9:reject:1' }]],
    ['it was on another pull request', [button, { ...record, external_id: 'click:8:9:approve:1' }]],
    ['the button was for another interaction', [{ ...button, external_id: 'approval:7:2' }, record]],
    ['another App made the button', [{ ...button, app: 2 }, record]],
    ['it is a verifier of that name', [button, { ...record, external_id: 'verifier:7:0' }]],
  ])('that never happened approves nothing: %s', async (_, checks) => {
    stubChecks(...checks);
    expect(await standing(click)).toMatchObject({ stands: false });
  });

  test('for an interaction of another pull request approves nothing', async () => {
    const elsewhere: Source = { ...click, interaction: 'approval:8:4' };
    expect(await standing(elsewhere)).toMatchObject({ stands: false });
  });
});

test('an outage is not treated as permission or refusal', async () => {
  github().get('/repos/acme/api/issues/comments/555').times(3).reply(503);
  await expect(standing(comment())).rejects.toMatchObject({ status: 503, retriable: true });
});
