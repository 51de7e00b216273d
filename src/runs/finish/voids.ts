import { withheldOn } from '../../github/read/own-checks.ts';
import type { PullFacts } from '../../github/read/pulls.ts';
import type { Voiding } from '../../steering/approval/finish-facts.ts';
import type { Run } from '../run.ts';

/**
 * What voids the approvals of a run, as our check runs on its head say and as far as this process knows: the
 * ledger may be put back, and what was said deleted, but nobody else can change our check runs.
 */
export async function voidsOf(run: Run, { head_sha }: PullFacts): Promise<readonly Voiding[]> {
  const { repository, number, doubts } = run;
  const place = { where: repository, number, own: repository.own };
  const withheld = await withheldOn(repository.octokit, place, head_sha);
  return [
    ...withheld.filter(({ lost }) => lost).map(({ at }): Voiding => ({ why: 'ledger_lost', at })),
    ...withheld.filter(({ unrecorded }) => unrecorded).map(({ at }): Voiding => ({ why: 'unrecorded', at })),
    ...doubts.voids,
  ];
}
