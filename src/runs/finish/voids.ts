import type { PullFacts } from '../../github/read/pulls.ts';
import { withheldOn } from '../../github/read/withheld.ts';
import { eventDigest } from '../../github/words/withheld-mark.ts';
import type { Voiding } from '../../steering/approval/finish-facts.ts';
import { approvedAt } from '../../steering/approval/policy-finish.ts';
import type { State } from '../../steering/state.ts';
import type { Run } from '../run.ts';

/**
 * What voids the approvals of a run, as our check runs on its head say and as far as this process knows: the
 * ledger may be put back, and what was said deleted, but nobody else can change our check runs.
 */
export async function voidsOf(
  run: Run,
  state: State,
  { pull, now }: { readonly pull: PullFacts; readonly now: Date },
): Promise<readonly Voiding[]> {
  const { repository, number, doubts } = run;
  const approvals = approvedAt(state);
  const place = { where: repository, number, own: repository.own };
  const withheld = await withheldOn(repository.octokit, place, pull.head_sha);
  const seen = withheld.every(({ unrecorded }) => doubts.knows(unrecorded)) ? none : await digestsIn(run);
  for (const each of withheld) doubts.adopt(each, { seen, approvals, now });
  const losses = withheld.filter(({ lost }) => lost);
  return [
    ...losses.map(({ at }): Voiding => ({ why: 'ledger_lost', at })),
    ...doubts.about(approvals, now).voids,
  ];
}

const none: ReadonlySet<string> = new Set();

async function digestsIn(run: Run): Promise<ReadonlySet<string>> {
  const { seen = [] } = (await run.readLedger()) ?? {};
  return new Set([...seen].map(eventDigest));
}
