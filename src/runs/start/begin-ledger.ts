import { ourLabel } from '../../github/names.ts';
import type { Contributors } from '../../steering/person.ts';
import type { Settings, TaskOverrides } from '../../steering/settings.ts';
import type { EarlierRun, RunIdentity, Task } from '../../steering/task.ts';
import type { Run } from '../run.ts';
import type { Starting } from './starting.ts';

export interface Beginning {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly head: string;
  readonly task: Task;
  readonly settings: Settings;
  readonly overrides?: TaskOverrides;
  readonly adopted: boolean;
  /** Who shaped the task or the branch before the run, if that matters. */
  readonly contributors?: Contributors;
  /** Runs on the same issue that were rejected. */
  readonly earlier?: readonly EarlierRun[];
}

/** Records the first event of a run; idempotent. */
export async function beginLedger(
  starting: Starting,
  { task, settings, overrides, contributors, earlier = [], ...beginning }: Beginning,
): Promise<Run> {
  const { request, repository, liveRuns } = starting;
  const { owner, name, id } = repository;
  const run = liveRuns.of(repository, beginning.number);
  await Promise.all([mark(starting, beginning.number), liveRuns.services.noteRun?.(repository)]);
  const identity: RunIdentity = {
    id: `${owner}/${name}#${beginning.number}`,
    repository_id: id,
    owner,
    repo: name,
    presenter: liveRuns.services.presenter,
    issue: request.issue?.number ?? null,
    ...beginning,
  };
  const { cause, at, by, source } = request;
  const rules = { settings, ...(overrides === undefined ? {} : { overrides }) };
  const people = whoWorked(contributors);
  const fields = {
    run: identity,
    task,
    ...rules,
    by,
    source,
    ...people,
    ...(earlier.length > 0 && { earlier }),
  };
  await run.record({ type: 'run_started', id: cause, at, ...fields });
  return run;
}

function whoWorked(known: Contributors | undefined) {
  const { people, complete } = known ?? { people: [], complete: true };
  return {
    ...(people.length > 0 && { contributors: people }),
    ...(!complete && ({ people_unknown: true } as const)),
  };
}

/**
 * People and other tools find runs by their label, so it is set before the ledger is created. Otherwise a
 * crash before the first rendering would leave a run without it.
 */
async function mark({ repository }: Starting, issue_number: number): Promise<void> {
  const { octokit, owner, name: repo } = repository;
  await octokit.rest.issues.addLabels({ owner, repo, issue_number, labels: [ourLabel] });
}
