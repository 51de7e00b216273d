import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { type Remembered, rememberedIn } from '../../github/show/block-memory.ts';
import type { StartRefusal } from '../../github/words/starting.ts';
import type { EventOf, Past } from '../../steering/event.ts';
import type { Settings } from '../../steering/settings.ts';
import type { LedgerLoss, RunIdentity } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { readConfigAt } from '../configuration.ts';
import type { Lane } from '../live-run.ts';
import type { Workshop } from '../services.ts';

/** Somebody's /resume on a run whose ledger is lost. */
export interface Restoring {
  readonly lane: Lane;
  readonly said: EventOf<'said'>;
  readonly lost: LedgerLoss;
  readonly workshop: Workshop;
}

/**
 * Begins the ledger of a run anew from what its pull request remembers; doing it twice does it once.
 * What rights and settings depend on is asked afresh. Answers with why it cannot be done, if it cannot.
 */
export async function restoreRun(restoring: Restoring): Promise<StartRefusal | undefined> {
  const { lane, workshop } = restoring;
  const { repository, number } = lane;
  const pull = await readPull(repository.octokit, repository, number);
  if (pull.from_fork) return { why: 'fork' };
  if (!pull.open) return { why: 'pull_closed' };
  const reading = await readConfigAt(repository, pull.base_ref, workshop);
  if (reading.outcome === 'misconfigured') return { why: 'misconfigured', reading };
  await lane.restore(restoredFrom(restoring, pull, reading.settings));
  return undefined;
}

function restoredFrom(
  { lane, said, lost, workshop }: Restoring,
  pull: PullFacts,
  settings: Settings,
): EventOf<'restored'> {
  const remembered = rememberedIn(pull.body, { id: lane.name, number: lane.number });
  const { owner, name: repo, id: repository_id } = lane.repository;
  const task = taskFrom(remembered, pull, `${owner}/${repo}`);
  const run: RunIdentity = {
    ...{ id: lane.name, repository_id, owner, repo, number: lane.number },
    ...{ branch: pull.head_ref, base: pull.base_ref, head: pull.head_sha },
    presenter: workshop.presenter,
    issue: issueOf(task),
    adopted: !pull.head_ref.startsWith('coxswain/'),
  };
  return {
    type: 'restored',
    id: `restored:${said.id}`,
    at: said.at,
    ...{ run, task, settings, lost },
    past: pastFrom(remembered, lane.newest?.seq ?? 0, said.at),
    opened_at: pull.created_at,
    by: said.by,
  };
}

/** Where no block can be read, the pull request's own words are the task. */
function taskFrom(remembered: Remembered | undefined, pull: PullFacts, repository: string): Task {
  const { title, number, base_ref: base } = pull;
  const told = { id: `pull-${number}`, title, description: title, acceptance_criteria: [] };
  const task = remembered?.task ?? { ...told, component: '', kind: 'build' as const };
  return { ...task, repository, base, worker_profile: '', depends_on: [] };
}

function pastFrom(remembered: Remembered | undefined, seen: number, at: string): Past {
  if (remembered === undefined) {
    return { seq: seen, iteration: 0, attempt: 0, iterations: [], asked: null };
  }
  const { seq, iteration, attempt, iterations, asked } = remembered;
  // It was opened by nobody this ledger knows, so it counts from now.
  const settled = { opened_at: at, settled_at: at, by: 'coxswain', how: 'lost with the ledger' };
  const known = asked === null ? null : { ...asked, ...settled };
  return { seq: Math.max(seq, seen), iteration, attempt, iterations, asked: known };
}

/** Tasks that came from an issue are named after it. */
function issueOf({ id }: Task): number | null {
  const [, number] = /^issue-(\d{1,9})$/.exec(id) ?? [];
  return number === undefined ? null : Number(number);
}
