import type { Source } from '../../steering/source.ts';
import type { Octokit } from '../octokit/connect.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** What only we can have written: our check runs on the commits of a pull request. */
export interface OwnChecks {
  readonly where: RepositoryRef;
  readonly number: number;
  /** Our own login, as `coxswain[bot]`. */
  readonly own: { readonly login: string };
}

/** When we first showed a commit on its pull request, ISO 8601; undefined when we never did. */
export async function shownAt(octokit: Octokit, place: OwnChecks, head: string): Promise<string | undefined> {
  const runs = await ownRuns(octokit, place, { head, name: 'Coxswain' });
  const times = runs.flatMap(({ started_at, external_id }) =>
    started_at !== null && external_id?.split(':')[1] === String(place.number) ? [started_at] : [],
  );
  return times.toSorted()[0];
}

export interface Click {
  readonly login: string;
  readonly source: Extract<Source, { from: 'click' }>;
}

/** Whether that person clicked on Approve for that commit while that was asked. */
export async function wasClicked(octokit: Octokit, place: OwnChecks, click: Click): Promise<boolean> {
  const runs = await ownRuns(octokit, place, { head: click.source.head_sha, name: clickName(click) });
  return runs.some(({ external_id }) => external_id === clickId(place, click));
}

/** What the check run that keeps a click is called. */
export function clickName({ login }: Click): string {
  return `Coxswain / ${login} clicked on Approve`;
}

/** Its `external_id`. */
export function clickId({ number }: OwnChecks, { source }: Click): string {
  return `click:${number}:${source.interaction}`;
}

async function ownRuns(
  octokit: Octokit,
  { where, own }: OwnChecks,
  { head, name }: { readonly head: string; readonly name: string },
) {
  const { data } = await octokit.rest.checks.listForRef({
    ...repoParams(where),
    ref: head,
    check_name: name,
    filter: 'all',
    per_page: 100,
  });
  const slug = own.login.replace(/\[bot\]$/, '');
  return data.check_runs.filter(({ app }) => app?.slug === slug);
}
