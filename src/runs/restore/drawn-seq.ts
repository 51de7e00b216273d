import { GitHubFault } from '../../github/octokit/fault.ts';
import { drawnSeqOn } from '../../github/read/own-checks.ts';
import { type PullFacts, readPull } from '../../github/read/pulls.ts';
import { renderedSeq } from '../../github/show/recovered-run.ts';
import type { Seals } from '../../seal/seals.ts';
import type { Run } from '../run.ts';

/**
 * The number of the newest ledger commit that was drawn on the pull request, 0 if none was: a ledger that has
 * not reached it was deleted or reset. It is looked for on the pull request's head and on the one the ledger
 * names: whatever happened later was drawn on one of them.
 */
export async function drawnSeq(
  run: RunPlace,
  seals: Seals | undefined,
  head: string | null,
): Promise<number> {
  const { repository, number } = run;
  const { octokit, own } = repository;
  const pull = await pullIfAny(run);
  if (pull === undefined) return 0;
  const heads = [...new Set([pull.head_sha, ...(head === null ? [] : [head])])];
  const place = { where: repository, number, own };
  const drawn = await Promise.all(heads.map((each) => drawnSeqOn(octokit, place, each)));
  return Math.max(renderedSeq(pull.body, nameOf(run), seals), ...drawn);
}

type RunPlace = Pick<Run, 'repository' | 'number' | 'name'>;

async function pullIfAny({ repository, number }: RunPlace): Promise<PullFacts | undefined> {
  try {
    return await readPull(repository.octokit, repository, number);
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return undefined;
    throw fault;
  }
}

/** The run to look for in a body. */
export function nameOf({ repository, number, name }: RunPlace) {
  return { id: name, number, repository_id: repository.id };
}
