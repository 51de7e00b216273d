import { isDecisionOn } from '../check-ids.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type Withheld, withheldIn } from '../words/withheld-mark.ts';
import { type OwnChecks, ownRuns } from './own-checks.ts';

/** A decision of ours that was taken back, and when, ISO 8601. */
export interface WithheldAt extends Withheld {
  readonly at: string;
}

/** Every time that something of ours on a commit took back what permitted merging this pull request. */
export async function withheldOn(
  octokit: Octokit,
  place: OwnChecks,
  head: string,
): Promise<readonly WithheldAt[]> {
  const runs = await ownRuns(octokit, place, { head });
  const ours = runs.filter(({ external_id }) => isDecisionOn(place.number, external_id));
  return ours.flatMap(({ output, completed_at }) => {
    const withheld = withheldIn(output.text);
    return withheld === undefined || completed_at === null ? [] : [{ ...withheld, at: completed_at }];
  });
}
