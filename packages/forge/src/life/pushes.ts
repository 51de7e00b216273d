import { type CommitRecord, listTouches } from '../git/commits.ts';
import { zeroSha } from '../git/plumbing.ts';
import type { App, CheckSuite, PullIssue, Repository } from '../model.ts';
import { checkSuitePayload } from '../payloads/checks.ts';
import { pushedCommitPayload } from '../payloads/commits.ts';
import { htmlLink } from '../payloads/links.ts';
import { covers } from '../permissions.ts';
import { gitOf, type Json, type Site, timestamp } from '../site.ts';
import { setState } from './issues.ts';
import { markMerged, synchronize } from './pulls.ts';

/** A ref that now points elsewhere; forty zeros stand for "was not" or "is no more". */
export interface RefChange {
  ref: string;
  before: string;
  after: string;
}

/** Everything that follows from refs having moved, by a push or through the API. */
export async function refsChanged(
  site: Site,
  repository: Repository,
  { changes, sender_id }: { changes: RefChange[]; sender_id: number },
): Promise<void> {
  repository.pushed_at = timestamp(site);
  for (const change of changes) {
    if (!/^refs\/(heads|tags)\//.test(change.ref)) continue;
    await tellOfPush(site, repository, { ...change, sender_id });
    if (change.ref.startsWith('refs/heads/')) await branchChanged(site, repository, { ...change, sender_id });
  }
}

type Sent = RefChange & { sender_id: number };

async function branchChanged(site: Site, repository: Repository, change: Sent): Promise<void> {
  const branch = change.ref.slice('refs/heads/'.length);
  const open = site.store.pulls(repository).filter((issue) => issue.state === 'open');
  for (const issue of open.filter(({ pull }) => pull.head_ref === branch)) {
    await headChanged(site, issue, change);
  }
  if (change.after === zeroSha) return;
  await requestChecks(site, repository, { ...change, branch });
  const onto = open.filter(({ state, pull }) => state === 'open' && pull.base_ref === branch);
  if (onto.length > 0) await markLanded(site, repository, { onto, change });
}

async function headChanged(site: Site, issue: PullIssue, change: Sent): Promise<void> {
  const { before, after, sender_id } = change;
  if (after === zeroSha) await setState(site, issue, { state: 'closed', sender_id });
  else if (after !== issue.pull.head_sha) await synchronize(site, issue, { before, after, sender_id });
}

/** A pull request whose head was pushed into its base is merged, as on GitHub. */
async function markLanded(
  site: Site,
  repository: Repository,
  { onto, change }: { onto: PullIssue[]; change: Sent },
): Promise<void> {
  const git = gitOf(site, repository);
  const merged = await git.run([
    'for-each-ref',
    '--format=%(refname)',
    '--merged',
    change.after,
    'refs/pull/*/head',
  ]);
  const names = new Set(merged.split('\n'));
  for (const issue of onto.filter(({ number }) => names.has(`refs/pull/${number}/head`))) {
    await markMerged(site, issue, { sha: change.after, sender_id: change.sender_id });
  }
}

async function tellOfPush(site: Site, repository: Repository, change: Sent): Promise<void> {
  const { ref, before, after, sender_id } = change;
  const created = before === zeroSha;
  const deleted = after === zeroSha;
  const [pushed, forced] = await Promise.all([
    deleted ? { commits: [], head_commit: null } : pushedCommits(site, repository, change),
    !created && !deleted && isForced(site, repository, change),
  ]);
  const sender = site.store.account(sender_id);
  const payload: Json = {
    ref,
    before,
    after,
    created,
    deleted,
    forced,
    base_ref: null,
    compare: htmlLink(site, repository, `/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`),
    ...pushed,
    pusher: { name: sender.login, email: `${sender.id}+${sender.login}@users.noreply.forge.example` },
  };
  site.emit({ event: 'push', repository, sender_id, payload });
}

async function isForced(site: Site, repository: Repository, { before, after }: Sent): Promise<boolean> {
  return !(await gitOf(site, repository).isAncestor(before, after));
}

const mostCommits = 20;

/** The newest commits that the old head (of a new branch: the default branch) did not have, oldest first. */
async function pushedCommits(site: Site, repository: Repository, { ref, before, after }: Sent) {
  const git = gitOf(site, repository);
  const trunk = `refs/heads/${repository.default_branch}`;
  const known = before !== zeroSha ? [`^${before}`] : ref === trunk ? [] : [`^${trunk}`];
  const touched = ref.startsWith('refs/tags/') ? [] : await listTouches(git, [after, ...known], mostCommits);
  const head = touched[0] ?? (await listTouches(git, [after], 1))[0];
  const shown = (commit: CommitRecord) => pushedCommitPayload(site, repository, commit);
  return { commits: touched.toReversed().map(shown), head_commit: head ? shown(head) : null };
}

/** Each App that may write checks and listens to suites is asked to check a pushed commit. */
async function requestChecks(
  site: Site,
  repository: Repository,
  change: Sent & { branch: string },
): Promise<void> {
  const listeners = site.store.data.installations.filter(
    (installation) =>
      installation.repository_ids.includes(repository.id) &&
      installation.events.includes('check_suite') &&
      covers(installation.permissions, { checks: 'write' }),
  );
  for (const installation of listeners) {
    await tellOfSuite(site, {
      suite: suiteFor(site, repository, { app: site.store.app(installation.app_id), ...change }),
      action: 'requested',
      sender_id: change.sender_id,
    });
  }
}

/** An App's one suite for a commit, made when first needed. */
export function suiteFor(
  site: Site,
  repository: Repository,
  { app, after, before, branch }: { app: App; after: string; before?: string; branch?: string },
): CheckSuite {
  const existing = site.store.data.suites.find(
    (suite) => suite.repository_id === repository.id && suite.app_id === app.id && suite.head_sha === after,
  );
  if (existing) return existing;
  const suite: CheckSuite = {
    id: site.store.id(),
    repository_id: repository.id,
    app_id: app.id,
    head_sha: after,
    head_branch: branch ?? null,
    before: before ?? null,
    after,
    created_at: timestamp(site),
    updated_at: timestamp(site),
  };
  site.store.data.suites.push(suite);
  return suite;
}

export async function tellOfSuite(
  site: Site,
  { suite, action, sender_id }: { suite: CheckSuite; action: string; sender_id: number },
): Promise<void> {
  const repository = site.store.repository(suite.repository_id);
  const { repository: _, ...check_suite } = await checkSuitePayload(site, suite);
  site.emit({
    event: 'check_suite',
    action,
    repository,
    sender_id,
    app_id: suite.app_id,
    payload: { check_suite },
  });
}
