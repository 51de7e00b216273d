import type { CheckText } from '../../words/check-texts.ts';
import { goneGroupCheck } from '../../words/merge-group-texts.ts';
import type { CheckResult } from '../../words/phases/row.ts';
import { groupCheckId } from '../names.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import type { Own } from '../own.ts';
import { ownRuns } from '../read/commit-checks.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

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

/**
 * Whether our check of that name is decided there, and was not taken back. Another process may have been
 * faster: what was begun meanwhile then says the same, so that nothing is left that never ends.
 */
export async function isGroupDecided(place: GroupPlace, name: string): Promise<boolean> {
  const { octokit, where } = place;
  const same = (await groupRuns(place)).filter((run) => run.name === name);
  const { conclusion, output } = same.find(hasEnded) ?? { conclusion: null };
  if (conclusion === null || conclusion === 'cancelled') return false;
  const { title, summary } = output;
  const decided = { ...repoParams(where), status: 'completed', conclusion } as const;
  for (const { id } of same.filter((run) => !hasEnded(run)))
    await octokit.rest.checks.update({
      ...decided,
      check_run_id: id,
      output: { title: title ?? '', summary: summary ?? '' },
    });
  return true;
}

/**
 * Draws check runs in this order, as far as they differ from what is there. Two processes may have begun one
 * each; all that have not ended are drawn.
 */
export async function drawOnGroup(place: GroupPlace, views: readonly GroupCheckView[]): Promise<void> {
  const there = await groupRuns(place);
  const { octokit, where, head } = place;
  for (const view of views) {
    const same = there.filter(({ name }) => name === view.name);
    const open = same.filter((run) => !hasEnded(run));
    const written = { ...repoParams(where), ...partsOf(view) };
    for (const { id } of open) await octokit.rest.checks.update({ ...written, check_run_id: id });
    const isDrawn = same[0]?.conclusion === view.result && same[0].output.title === view.title;
    if (open.length > 0 || isDrawn) continue;
    await octokit.rest.checks.create({ ...written, name: view.name, head_sha: head });
  }
}

function hasEnded({ status }: { readonly status: string }): boolean {
  return status === 'completed';
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
