import { GitHubFault } from '../../github/octokit/fault.ts';
import { readPull } from '../../github/read/pulls.ts';
import { renderedSeq } from '../../github/show/recovered-run.ts';
import type { Run } from '../run.ts';

/**
 * The sequence number of the ledger commit from which the pull request was last rendered; 0 if there is none.
 * A ledger that has not reached it was deleted or reset.
 */
export async function lastRendered({ repository, number, name }: LiveRunName): Promise<number> {
  try {
    const { body } = await readPull(repository.octokit, repository, number);
    return renderedSeq(body, { id: name, number });
  } catch (fault) {
    if (fault instanceof GitHubFault && fault.status === 404) return 0;
    throw fault;
  }
}

type LiveRunName = Pick<Run, 'repository' | 'number' | 'name'>;
