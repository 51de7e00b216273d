import type { Source } from '../../steering/source.ts';
import { isDecisionOn, isOfRun } from '../check-ids.ts';
import type { Octokit } from '../octokit/connect.ts';
import { isOwnCheck, type Own } from '../own.ts';
import { seqIn } from '../words/seq-mark.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Our check runs on the commits of a pull request, which nobody else can write. */
export interface OwnChecks {
  readonly where: RepositoryRef;
  readonly number: number;
  readonly own: Own;
}

/** When we first showed a commit on its pull request, whatever its base was; ISO 8601, undefined if never. */
export async function shownAt(octokit: Octokit, place: OwnChecks, head: string): Promise<string | undefined> {
  const runs = await ownRuns(octokit, place, { head });
  const times = runs.flatMap(({ started_at, external_id }) =>
    started_at !== null && isDecisionOn(place.number, external_id) ? [started_at] : [],
  );
  return times.toSorted()[0];
}

/** A commit and the name of its check, which tells the base. */
export interface Decided {
  readonly head: string;
  readonly name: string;
}

/** Whether our newest check run of that name on a commit succeeded, as only the final check of a run does. */
export async function hasSucceeded(octokit: Octokit, place: OwnChecks, decided: Decided): Promise<boolean> {
  const runs = await ownRuns(octokit, place, decided);
  const ours = runs.filter(({ external_id }) => isDecisionOn(place.number, external_id));
  // A revoked approval leaves an older one that succeeded.
  const newest = ours.toSorted((one, other) => other.id - one.id)[0];
  return newest?.conclusion === 'success';
}

/**
 * The highest number of a ledger commit from which one of our check runs on a commit was drawn for this pull
 * request; 0 if there is none. Only we can write them, so the ledger must have reached it.
 */
export async function drawnSeqOn(octokit: Octokit, place: OwnChecks, head: string): Promise<number> {
  const runs = await ownRuns(octokit, place, { head });
  const ours = runs.filter(({ external_id }) => isOfRun(external_id, place.number));
  // Older versions drew no number, but they drew nothing without a ledger.
  return Math.max(0, ...ours.map(({ output }) => seqIn(output.text) ?? 1));
}

export interface Click {
  readonly login: string;
  readonly source: Extract<Source, { from: 'click' }>;
}

/** Whether we recorded this click on Approve. */
export async function wasClicked(octokit: Octokit, place: OwnChecks, click: Click): Promise<boolean> {
  const runs = await ownRuns(octokit, place, { head: click.source.head_sha, name: clickName(click) });
  return runs.some(({ external_id }) => external_id === clickId(place, click));
}

/** The name of the check run that records a click. */
export function clickName({ login }: Click): string {
  return `Coxswain / ${login} clicked on Approve`;
}

/** Its `external_id`. */
export function clickId({ number }: OwnChecks, { source }: Click): string {
  return `click:${number}:${source.interaction}`;
}

/** All of them, whatever their names unless one is given; GitHub keeps up to 1,000 of one name. */
async function ownRuns(
  octokit: Octokit,
  { where, own }: OwnChecks,
  { head, name }: { readonly head: string; readonly name?: string },
) {
  const found = await octokit.paginate(octokit.rest.checks.listForRef, {
    ...repoParams(where),
    ref: head,
    ...(name !== undefined && { check_name: name }),
    filter: 'all',
    per_page: 100,
  });
  return found.filter((run) => isOwnCheck(run, own));
}
