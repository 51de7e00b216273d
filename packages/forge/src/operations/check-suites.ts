import { type Context, gitOf, timestamp } from '../context.ts';
import { readCommit } from '../git/commits.ts';
import type { Json } from '../json.ts';
import type { App, CheckSuite, Repository } from '../model.ts';
import { checkSuitePayload } from '../payloads/checks.ts';
import { covers } from '../permissions.ts';

interface PushedCommit {
  before: string;
  after: string;
  branch: string;
  sender_id: number;
}

/**
 * Requests checks of a pushed commit from each App with `checks: write` that subscribes to check suites, unless
 * the commit's message asks GitHub not to.
 */
export async function requestChecks(
  context: Context,
  repository: Repository,
  change: PushedCommit,
): Promise<void> {
  const { message } = await readCommit(gitOf(context, repository), change.after);
  if (skipsChecks.test(message)) return;
  const listeners = context.store.data.installations.filter(
    (installation) =>
      installation.repository_ids.includes(repository.id) &&
      installation.events.includes('check_suite') &&
      covers(installation.permissions, { checks: 'write' }),
  );
  for (const installation of listeners) {
    await emitCheckSuiteEvent(context, {
      suite: suiteFor(context, repository, { app: context.store.app(installation.app_id), ...change }),
      action: 'requested',
      sender_id: change.sender_id,
    });
  }
}

/** The message ends with this trailer, which may follow others but stands last. */
const skipsChecks = /\n\s*\n(?:[\w-]+: .*\n)*skip-checks: ?true\s*$/i;

/** The App's check suite for a commit, created on first use. */
export function suiteFor(
  context: Context,
  repository: Repository,
  { app, after, before, branch }: { app: App; after: string; before?: string; branch?: string },
): CheckSuite {
  const existing = context.store.data.suites.find(
    (suite) => suite.repository_id === repository.id && suite.app_id === app.id && suite.head_sha === after,
  );
  if (existing) return existing;
  const suite: CheckSuite = {
    id: context.store.id(),
    repository_id: repository.id,
    app_id: app.id,
    head_sha: after,
    head_branch: branch ?? null,
    before: before ?? null,
    after,
    created_at: timestamp(context),
    updated_at: timestamp(context),
  };
  context.store.data.suites.push(suite);
  return suite;
}

export async function emitCheckSuiteEvent(
  context: Context,
  { suite, action, sender_id }: { suite: CheckSuite; action: string; sender_id: number },
): Promise<void> {
  const repository = context.store.repository(suite.repository_id);
  const { repository: _, ...check_suite } = await checkSuiteDetails(context, suite);
  context.emit({
    name: 'check_suite',
    action,
    repository,
    sender_id,
    app_id: suite.app_id,
    payload: { check_suite },
  });
}

/** A check suite with its commit and repository. */
export async function checkSuiteDetails(context: Context, suite: CheckSuite): Promise<Json> {
  const repository = context.store.repository(suite.repository_id);
  const commit = await readCommit(gitOf(context, repository), suite.head_sha);
  return checkSuitePayload(context, suite, commit);
}
