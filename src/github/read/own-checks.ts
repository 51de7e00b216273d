import type { Source } from '../../steering/event.ts';
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

/** Keeps a click on Approve where nobody else can make one up: anybody with write can force the ledger. */
export async function keepClick(octokit: Octokit, place: OwnChecks, click: Click): Promise<void> {
  if (await wasClicked(octokit, place, click)) return;
  await octokit.rest.checks.create({
    ...repoParams(place.where),
    name: nameOf(click),
    head_sha: click.source.head_sha,
    external_id: idOf(place, click),
    status: 'completed',
    conclusion: 'neutral',
  });
}

/** Whether that person clicked on Approve for that commit while that was asked. */
export async function wasClicked(octokit: Octokit, place: OwnChecks, click: Click): Promise<boolean> {
  const runs = await ownRuns(octokit, place, { head: click.source.head_sha, name: nameOf(click) });
  return runs.some(({ external_id }) => external_id === idOf(place, click));
}

function nameOf({ login }: Click): string {
  return `Coxswain / ${login} clicked on Approve`;
}

function idOf({ number }: OwnChecks, { source }: Click): string {
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
