/** Webhook payloads in GitHub's documented format, reduced to a realistic size. */

type Json = Record<string, unknown>;

const api = 'https://api.github.com';

/** Different for every login in these tests. */
export function idOf(login: string): number {
  return [...login].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7) % 1_000_000;
}

export function user(login: string, type = login.endsWith('[bot]') ? 'Bot' : 'User'): Json {
  return {
    login,
    id: idOf(login),
    node_id: `U_${login}`,
    avatar_url: `https://avatars.githubusercontent.com/u/${login.length}?v=4`,
    url: `${api}/users/${login}`,
    html_url: `https://github.com/${login}`,
    type,
    site_admin: false,
  };
}

export const repository: Json = {
  id: 4711,
  node_id: 'R_4711',
  name: 'api',
  full_name: 'acme/api',
  private: false,
  owner: user('acme', 'Organization'),
  html_url: 'https://github.com/acme/api',
  fork: false,
  url: `${api}/repos/acme/api`,
  statuses_url: `${api}/repos/acme/api/statuses/{sha}`,
  created_at: '2024-01-02T03:04:05Z',
  updated_at: '2026-11-20T10:00:00Z',
  pushed_at: '2026-11-21T11:59:00Z',
  clone_url: 'https://github.com/acme/api.git',
  default_branch: 'main',
};

export function delivery(sender: string, rest: Json): Json {
  return { ...rest, repository, sender: user(sender), installation: { id: 42, node_id: 'MDIz' } };
}

function labels(names: readonly string[]): Json[] {
  return names.map((name, index) => ({
    id: index,
    node_id: `L_${index}`,
    name,
    color: 'ededed',
    default: false,
  }));
}

export interface IssueWish {
  readonly number?: number;
  readonly pull?: boolean;
  readonly labels?: readonly string[];
  readonly state?: string;
  readonly body?: string | null;
  readonly opener?: string;
}

function issue({
  number = 7,
  pull = true,
  labels: names = ['coxswain'],
  state = 'open',
  body = 'Words',
  opener = 'ada',
}: IssueWish): Json {
  return {
    url: `${api}/repos/acme/api/issues/${number}`,
    number,
    title: 'Fix the flaky test',
    user: user(opener),
    labels: labels(names),
    state,
    locked: false,
    comments: 1,
    created_at: '2026-11-21T09:00:00Z',
    updated_at: '2026-11-21T12:00:09Z',
    closed_at: null,
    author_association: 'MEMBER',
    body,
    ...(pull
      ? { draft: true, pull_request: { url: `${api}/repos/acme/api/pulls/${number}`, merged_at: null } }
      : {}),
  };
}

export interface CommentWish extends IssueWish {
  readonly action?: 'created' | 'edited' | 'deleted';
  readonly says: string;
  readonly author?: string;
  readonly sender?: string;
  readonly former?: string;
  /** The App that wrote it on behalf of its author. */
  readonly via?: { readonly id: number; readonly slug: string };
  /** When the text was written or edited, according to the payload. */
  readonly updated_at?: string;
}

export function comment({
  action = 'created',
  says,
  author = 'ada',
  sender = author,
  former,
  via,
  updated_at = action === 'edited' ? '2026-11-21T12:03:00Z' : '2026-11-21T12:00:00Z',
  ...about
}: CommentWish): Json {
  return delivery(sender, {
    action,
    issue: issue(about),
    comment: {
      url: `${api}/repos/acme/api/issues/comments/555`,
      id: 555,
      node_id: 'IC_555',
      user: user(author),
      created_at: '2026-11-21T12:00:00Z',
      updated_at,
      author_association: 'MEMBER',
      body: says,
      performed_via_github_app: via ?? null,
    },
    ...(action === 'edited' ? { changes: former === undefined ? {} : { body: { from: former } } } : {}),
  });
}

export function labeled(
  label: string,
  { sender = 'ada', ...about }: IssueWish & { sender?: string } = {},
): Json {
  const names = [...(about.labels ?? []), label];
  return delivery(sender, {
    action: 'labeled',
    issue: issue({ pull: false, ...about, labels: names }),
    label: labels([label])[0],
  });
}

export interface PullWish {
  readonly labels?: readonly string[];
  readonly head_ref?: string;
  readonly head_sha?: string;
  readonly sender?: string;
  readonly number?: number;
}

function pull({
  labels: names = ['coxswain'],
  head_ref = 'coxswain/fix-1a2b',
  head_sha = 'b'.repeat(40),
  number = 7,
}: PullWish): Json {
  return {
    url: `${api}/repos/acme/api/pulls/7`,
    id: 99,
    number,
    state: 'open',
    title: 'Fix the flaky test',
    user: user('coxswain[bot]'),
    body: 'The body',
    created_at: '2026-11-21T10:00:00Z',
    updated_at: '2026-11-21T12:00:00Z',
    closed_at: null,
    merged_at: null,
    merged: false,
    draft: true,
    labels: labels(names),
    head: { label: `acme:${head_ref}`, ref: head_ref, sha: head_sha, user: user('acme'), repo: repository },
    base: { label: 'acme:main', ref: 'main', sha: 'a'.repeat(40), user: user('acme'), repo: repository },
  };
}

export interface ReviewWish extends PullWish {
  readonly action?: 'submitted' | 'edited' | 'dismissed';
  readonly state: string;
  readonly says?: string | null;
  readonly author?: string;
  readonly commit_id?: string | null;
}

export function review({
  action = 'submitted',
  state,
  says = null,
  author = 'ada',
  ...rest
}: ReviewWish): Json {
  const { commit_id = 'b'.repeat(40), sender = author, ...about } = rest;
  return delivery(sender, {
    action,
    review: {
      id: 888,
      node_id: 'PRR_888',
      user: user(author),
      body: says,
      commit_id,
      submitted_at: '2026-11-21T12:01:00Z',
      state,
      author_association: 'MEMBER',
    },
    pull_request: pull(about),
  });
}

export function synchronize(
  before: string,
  after: string,
  { sender = 'ada', ...about }: PullWish = {},
): Json {
  return delivery(sender, {
    action: 'synchronize',
    number: 7,
    before,
    after,
    pull_request: pull({ ...about, head_sha: after }),
  });
}

export function closed(merged: boolean, { sender = 'ada', ...about }: PullWish = {}): Json {
  const changed = { state: 'closed', merged, closed_at: '2026-11-21T12:05:00Z' };
  return delivery(sender, { action: 'closed', number: 7, pull_request: { ...pull(about), ...changed } });
}

export function reopened({ sender = 'ada', ...about }: PullWish = {}): Json {
  return delivery(sender, { action: 'reopened', number: 7, pull_request: pull(about) });
}

export function bodyEdited(from: string, to: string, { sender = 'ada', ...about }: PullWish = {}): Json {
  const changes = { body: { from } };
  return delivery(sender, {
    action: 'edited',
    number: 7,
    changes,
    pull_request: { ...pull(about), body: to },
  });
}

/** Someone changed the base from `main`, and perhaps something else with it. */
export function retargeted(to: string, more: Json = {}, { sender = 'bob', ...about }: PullWish = {}): Json {
  const before = pull(about);
  return delivery(sender, {
    action: 'edited',
    number: 7,
    changes: { base: { ref: { from: 'main' }, sha: { from: 'a'.repeat(40) } }, ...more },
    pull_request: { ...before, base: { ...(before['base'] as Json), ref: to } },
  });
}

export interface CheckWish {
  readonly name?: string;
  readonly external_id?: string;
  readonly sender?: string;
  readonly numbers?: readonly number[];
}

function checkRun({ name = 'Coxswain', external_id = 'approval:7:12', numbers = [7] }: CheckWish): Json {
  return {
    id: 3131,
    name,
    node_id: 'CR_3131',
    head_sha: 'b'.repeat(40),
    external_id,
    url: `${api}/repos/acme/api/check-runs/3131`,
    status: 'completed',
    conclusion: 'action_required',
    started_at: '2026-11-21T11:50:00Z',
    completed_at: '2026-11-21T11:55:00Z',
    output: { title: 'Waiting', summary: '', text: null, annotations_count: 0 },
    check_suite: suite(numbers),
    app: { id: 1, slug: 'coxswain', name: 'Coxswain' },
    pull_requests: numbers.map((number) => ({
      id: 99,
      number,
      head: { ref: 'x', sha: 'b' },
      base: { ref: 'main' },
    })),
  };
}

function suite(numbers: readonly number[]): Json {
  return {
    id: 2020,
    node_id: 'CS_2020',
    head_branch: 'coxswain/fix-1a2b',
    head_sha: 'b'.repeat(40),
    status: 'queued',
    conclusion: null,
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    pull_requests: numbers.map((number) => ({ id: 99, number })),
    created_at: '2026-11-21T11:50:00Z',
    updated_at: '2026-11-21T12:02:00Z',
  };
}

export function click(identifier: string, { sender = 'ada', ...about }: CheckWish = {}): Json {
  return delivery(sender, {
    action: 'requested_action',
    check_run: checkRun(about),
    requested_action: { identifier },
  });
}

/** A check of the repository's own CI. */
export function completedRun({ branch = 'coxswain/fix-1a2b', name = 'build / test' } = {}): Json {
  const run = checkRun({ name, external_id: '' });
  const app = { id: 15368, slug: 'github-actions', name: 'GitHub Actions' };
  const check_suite = { ...suite([7]), head_branch: branch };
  return delivery('ada', { action: 'completed', check_run: { ...run, app, check_suite } });
}

export function rerequestedRun({ sender = 'ada', ...about }: CheckWish = {}): Json {
  return delivery(sender, { action: 'rerequested', check_run: checkRun(about) });
}

export function rerequestedSuite({ sender = 'ada', numbers = [7] }: CheckWish = {}): Json {
  return delivery(sender, { action: 'rerequested', check_suite: suite(numbers) });
}

export function completedSuite({
  conclusion = 'success',
  branch = 'coxswain/fix-1a2b',
}: {
  readonly conclusion?: string;
  readonly branch?: string;
} = {}): Json {
  const completed = { status: 'completed', conclusion, head_branch: branch };
  return delivery('github-actions[bot]', {
    action: 'completed',
    check_suite: { ...suite([7]), ...completed },
  });
}

export function push({ ref = 'refs/heads/coxswain/fix-1a2b', deleted = true, sender = 'ada' } = {}): Json {
  const seconds = Date.parse('2026-11-21T12:04:00Z') / 1000;
  return {
    ...delivery(sender, {
      ref,
      before: 'b'.repeat(40),
      after: '0'.repeat(40),
      created: false,
      deleted,
      forced: false,
    }),
    repository: { ...repository, pushed_at: seconds, created_at: seconds },
    pusher: { name: sender, email: 'ada@example.com' },
    commits: [],
    head_commit: null,
  };
}

/** A person has revoked their authorization; it names no installation and no repository. */
export function revocation(login: string): Json {
  return { action: 'revoked', sender: user(login) };
}

export function installation(action: 'created' | 'deleted' | 'added' | 'removed'): Json {
  const repositories = [{ id: 4711, node_id: 'R_4711', name: 'api', full_name: 'acme/api', private: true }];
  return {
    action,
    installation: {
      id: 42,
      account: user('acme', 'Organization'),
      repository_selection: 'selected',
      app_id: 1,
    },
    ...(action === 'created' || action === 'deleted'
      ? { repositories }
      : {
          repositories_added: action === 'added' ? repositories : [],
          repositories_removed: action === 'removed' ? repositories : [],
        }),
    sender: user('ada'),
  };
}
