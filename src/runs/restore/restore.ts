import { branchPrefix } from '../../github/names.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { type RecoveredRun, recoveredFrom } from '../../github/show/recovered-run.ts';
import type { StartRefusal } from '../../github/words/starting.ts';
import type { EventOf, Past } from '../../steering/event.ts';
import type { Settings } from '../../steering/settings.ts';
import type { LedgerLoss } from '../../steering/standing.ts';
import type { RunIdentity } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';

/** A /resume on a run whose ledger is lost. */
export interface Restoring {
  readonly run: Run;
  readonly event: EventOf<'said'>;
  readonly lost: LedgerLoss;
  readonly services: Services;
}

/**
 * Rebuilds the ledger of a run from its pull request; idempotent. Everything that permissions and settings
 * depend on is read from GitHub again. Returns the reason if it is not possible.
 */
export async function restoreRun(restoring: Restoring): Promise<StartRefusal | undefined> {
  const { run } = restoring;
  const { repository, number } = run;
  const pull = await readPull(repository.octokit, repository, number);
  if (pull.from_fork) return { why: 'fork' };
  if (!pull.open) return { why: 'pull_closed' };
  const { base_ref: base, default_branch } = pull;
  const reading = await run.readSettings({ base, default_branch });
  if (reading.outcome === 'misconfigured') return { why: 'misconfigured', reading };
  await run.restore(restoredFrom(restoring, pull, reading.settings));
  return undefined;
}

function restoredFrom(
  { run, event, lost, services }: Restoring,
  pull: PullFacts,
  settings: Settings,
): EventOf<'restored'> {
  const recovered = recoveredFrom(pull.body, { id: run.name, number: run.number });
  const { owner, name: repo, id: repository_id } = run.repository;
  const task = taskFrom(recovered, pull, `${owner}/${repo}`);
  const identity: RunIdentity = {
    ...{ id: run.name, repository_id, owner, repo, number: run.number },
    ...{ branch: pull.head_ref, base: pull.base_ref, head: pull.head_sha },
    presenter: services.presenter,
    issue: issueOf(task),
    adopted: !pull.head_ref.startsWith(branchPrefix),
  };
  return {
    type: 'restored',
    id: `restored:${event.id}`,
    at: event.at,
    ...{ run: identity, task, settings, lost },
    past: pastFrom(recovered, run.newest?.seq ?? 0, event.at),
    opened_at: pull.created_at,
    by: event.by,
  };
}

/** Without a readable block, the title of the pull request is the task. */
function taskFrom(recovered: RecoveredRun | undefined, pull: PullFacts, repository: string): Task {
  const { title, number, base_ref: base } = pull;
  const fromPull = { id: `pull-${number}`, title, description: title, acceptance_criteria: [] };
  const task = recovered?.task ?? { ...fromPull, component: '', kind: 'build' as const };
  return { ...task, repository, base, worker_profile: '', depends_on: [] };
}

function pastFrom(recovered: RecoveredRun | undefined, seen: number, at: string): Past {
  if (recovered === undefined) {
    return { seq: seen, iteration: 0, attempt: 0, iterations: [], asked: null };
  }
  const { seq, iteration, attempt, iterations, asked } = recovered;
  // The new ledger does not know when the interaction was opened, so it counts from now.
  const settled = { opened_at: at, settled_at: at, by: 'coxswain', how: 'lost with the ledger' };
  const known = asked === null ? null : { ...asked, ...settled };
  return { seq: Math.max(seq, seen), iteration, attempt, iterations, asked: known };
}

/** Tasks that came from an issue are named after it. */
function issueOf({ id }: Task): number | null {
  const [, number] = /^issue-(\d{1,9})$/.exec(id) ?? [];
  return number === undefined ? null : Number(number);
}
