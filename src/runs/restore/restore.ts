import { branchPrefix } from '../../github/names.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { blockOf } from '../../github/show/block-state.ts';
import { peopleDigest } from '../../github/show/people-digest.ts';
import { type RecoveredRun, recoveredFrom } from '../../github/show/recovered-run.ts';
import type { StartRefusal } from '../../github/words/starting.ts';
import type { LedgerLoss } from '../../steering/beginning/restoration.ts';
import type { EventOf, Past, PastPeople } from '../../steering/event.ts';
import type { Contributors } from '../../steering/person.ts';
import type { RunIdentity } from '../../steering/run-identity.ts';
import type { Settings } from '../../steering/settings.ts';
import type { State } from '../../steering/state.ts';
import type { Task } from '../../steering/task.ts';
import { readContributors } from '../contributors.ts';
import type { Run } from '../run.ts';
import type { Services } from '../services.ts';
import { CannotStart } from '../start/cannot-start.ts';
import { type DrawnBefore, drawnBefore, nameOf } from './drawn-seq.ts';
import { claimOf } from './sound-claim.ts';
import { type TaskOfIssue, taskFromIssue } from './task-from-issue.ts';

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
  try {
    const remains = await remainsOn(pull, reading.settings, restoring);
    await run.restore(restoredFrom(restoring, remains));
    return undefined;
  } catch (fault) {
    if (fault instanceof CannotStart) return fault.refusal;
    throw fault;
  }
}

/** What a pull request and its branch tell about the lost run. */
interface Remains {
  readonly pull: PullFacts;
  readonly settings: Settings;
  /** The highest number known to have been drawn or seen. */
  readonly seq: number;
  readonly recovered: RecoveredRun | undefined;
  readonly contributors: Contributors;
  /** Whether the branch has commits from before the run. */
  readonly adopted: boolean;
  /** Whether nothing has landed on the branch since it was claimed. */
  readonly untouched: boolean;
  /** Read where the block does not prove what the task was. */
  readonly fromIssue: TaskOfIssue | null;
}

async function remainsOn(pull: PullFacts, settings: Settings, restoring: Restoring): Promise<Remains> {
  const { run, services } = restoring;
  const { seals } = services;
  const found = recoveredFrom(pull.body, nameOf(run), seals);
  const drawn = await drawnBefore(run, pull);
  const seq = Math.max(drawn.mark.seq, run.newest?.seq ?? 0, found?.seq ?? 0);
  const isCurrent = seals === undefined || isNewest(found, drawn, run.newest);
  const recovered = isCurrent ? found : withoutProof(found);
  const isProven = seals === undefined || recovered?.people != null;
  const claim = seals && (await claimOf(run, pull, seals));
  const fromIssue =
    isProven || claim === undefined ? null : await taskFromIssue(claim, { ...restoring, pull });
  const adopted = seals === undefined ? !isNamedAsOurs(pull) : claim === undefined;
  const named = await readContributors(run.repository, { ...pull, adopted });
  const contributors = together(named, fromIssue?.editors);
  const untouched = claim?.is_head === true;
  return { pull, settings, seq, recovered, adopted, untouched, fromIssue, contributors };
}

function together(one: Contributors, other: Contributors = { people: [], complete: true }): Contributors {
  return { people: [...one.people, ...other.people], complete: one.complete && other.complete };
}

/**
 * Whether a block names the same people as our newest check run, or is as new if that names none. Its number
 * alone may be lower because it is drawn only when something in it changes, or because somebody put it back.
 */
function isNewest(
  found: RecoveredRun | undefined,
  { mark, complete }: DrawnBefore,
  newest: State | undefined,
): boolean {
  if (found === undefined || !complete) return false;
  const known = newest === undefined ? [] : [{ seq: newest.seq, people: peopleDigest(blockOf(newest)) }];
  return [mark, ...known].every(({ seq, people }) =>
    people === null ? found.seq >= seq : found.people_digest === people,
  );
}

/** What it says is shown, but proves nothing. */
function withoutProof(found: RecoveredRun | undefined): RecoveredRun | undefined {
  return found && { ...found, people: null, asked: null };
}

/** Claims are not sealed in the Action, whose runs prove nothing anyway. */
function isNamedAsOurs({ head_ref }: PullFacts): boolean {
  return head_ref.startsWith(branchPrefix);
}

function restoredFrom({ run, event, lost, services }: Restoring, remains: Remains): EventOf<'restored'> {
  const { pull, settings, recovered, contributors, adopted } = remains;
  const { owner, name: repo, id: repository_id } = run.repository;
  const task = taskFrom(remains, `${owner}/${repo}`, services);
  const identity: RunIdentity = {
    ...{ id: run.name, repository_id, owner, repo, number: run.number },
    ...{ branch: pull.head_ref, base: pull.base_ref, head: pull.head_sha },
    presenter: services.presenter,
    issue: issueOf(task),
    adopted,
  };
  return {
    type: 'restored',
    id: `restored:${event.id}`,
    at: event.at,
    ...{ run: identity, task, settings, lost },
    past: pastFrom(remains, event.at),
    opened_at: pull.created_at,
    people: peopleFrom(recovered),
    contributors,
    by: event.by,
  };
}

/** What a sealed block says; an unsealed one may have been edited by the very people it should name. */
function peopleFrom(recovered: RecoveredRun | undefined): PastPeople | null {
  const { requested_by, contributors } = recovered?.people ?? {};
  return requested_by == null || contributors === undefined ? null : { requested_by, contributors };
}

/** The block's task if we can prove that we wrote it, else the issue, else the title of the pull request. */
function taskFrom(
  { recovered, fromIssue, pull }: Remains,
  repository: string,
  { seals }: Pick<Services, 'seals'>,
): Task {
  const { title, number, base_ref: base } = pull;
  const fromPull = { id: `pull-${number}`, title, description: title, acceptance_criteria: [] };
  const rest = { repository, base, worker_profile: '', depends_on: [] };
  if (recovered !== undefined && (seals === undefined || recovered.people !== null))
    return { ...recovered.task, ...rest };
  if (fromIssue !== null) return fromIssue.task;
  return { ...fromPull, component: '', kind: 'build', ...rest };
}

function pastFrom({ recovered, seq, untouched }: Remains, at: string): Past {
  const begins = untouched ? ({ untouched } as const) : {};
  if (recovered === undefined)
    return { seq, iteration: 0, attempt: 0, iterations: [], asked: null, ...begins };
  const { iteration, max_iterations, attempt, iterations, asked } = recovered;
  // The new ledger does not know when the interaction was opened, so it counts from now.
  const settled = { opened_at: at, settled_at: at, by: 'coxswain', how: 'lost with the ledger' };
  const known = asked === null ? null : { ...asked, ...settled };
  const extended = max_iterations === undefined ? {} : { max_iterations };
  return { seq, iteration, ...extended, attempt, iterations, asked: known, ...begins };
}

/** Tasks that came from an issue are named after it. */
function issueOf({ id }: Task): number | null {
  const [, number] = /^issue-(\d{1,9})$/.exec(id) ?? [];
  return number === undefined ? null : Number(number);
}
