import type { CheckText } from '../../words/checks.ts';
import { goneGroupCheck } from '../../words/merge-group.ts';
import type { CheckResult } from '../../words/phases/row.ts';
import { groupCheckId } from '../check-ids.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { ownRuns } from '../read/own-checks.ts';
import { type RepositoryRef, repoParams } from '../read/repository.ts';

/** The head of a merge group. */
export interface GroupPlace {
  readonly octokit: Octokit;
  readonly where: RepositoryRef;
  readonly own: Own;
  readonly head: string;
}

/** What a check run on it should be. */
export interface GroupCheckView extends CheckText {
  readonly name: string;
  readonly result: CheckResult;
}

/** Whether our check of that name has ended there; one that was taken back has not. */
export async function isGroupDecided(place: GroupPlace, name: string): Promise<boolean> {
  const [newest] = (await groupRuns(place)).filter((run) => run.name === name);
  return newest?.status === 'completed' && newest.conclusion !== 'cancelled';
}

/** Draws check runs in this order, as far as they differ from what is there. */
export async function drawOnGroup(place: GroupPlace, views: readonly GroupCheckView[]): Promise<void> {
  const there = await groupRuns(place);
  for (const view of views) {
    const newest = there.find(({ name }) => name === view.name);
    const result = newest?.status === 'completed' ? newest.conclusion : newest && 'in_progress';
    if (result === view.result && newest?.output.title === view.title) continue;
    const { octokit, where } = place;
    const known = newest?.status === 'completed' ? undefined : newest?.id;
    const written = { ...repoParams(where), ...partsOf(view) };
    if (known !== undefined) await octokit.rest.checks.update({ ...written, check_run_id: known });
    else await octokit.rest.checks.create({ ...written, name: view.name, head_sha: place.head });
  }
}

/** Takes back what permits merging a group that GitHub has given up: its head may become another one's. */
export async function takeGroupBack(place: GroupPlace): Promise<void> {
  const names = new Set((await groupRuns(place)).map(({ name }) => name));
  const views = [...names].map((name) => ({ ...goneGroupCheck(), name, result: 'cancelled' as const }));
  // 422: GitHub no longer has the commit, so nothing can be merged there either.
  await unless(drawOnGroup(place, views), 422);
}

/** Ours, newest first; GitHub may have removed the commit with its group. */
async function groupRuns({ octokit, where, own, head }: GroupPlace) {
  const runs = await unless(ownRuns(octokit, { where, own, number: 0 }, { head }), 404, 422);
  return (runs ?? []).filter(({ external_id }) => external_id === groupCheckId);
}

function partsOf({ result, title, summary, text }: GroupCheckView) {
  const output = { title, summary, ...(text !== '' && { text }) };
  const about = { external_id: groupCheckId, output };
  if (result === 'in_progress') return { ...about, status: 'in_progress' } as const;
  return { ...about, status: 'completed', conclusion: result } as const;
}
