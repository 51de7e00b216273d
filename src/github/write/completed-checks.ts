import { plainCheck } from '../../config/check-names.ts';
import { notARunCheck } from '../../words/index.ts';
import { otherPullId } from '../names.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import {
  type Click,
  clickId,
  clickName,
  type OwnChecks,
  ownRuns,
  wasClicked,
} from '../read/commit-checks.ts';
import { type RepositoryRef, repoParams } from '../read/repository-ref.ts';

/** The check of a pull request that is not a run, on its head. */
interface PassCheck {
  readonly name: string;
  readonly head: string;
}

/** Lets a pull request that is not a run pass, unless that has happened already. */
export async function letPullPass(octokit: Octokit, place: OwnChecks, check: PassCheck): Promise<void> {
  if (await hasPassed(octokit, place, check)) return;
  await create(octokit, place, { ...check, conclusion: 'success' });
}

/**
 * Takes it back if it was given: the pull request is a run now, whose own check decides, or it contains a
 * commit of a run that another base with the same check contained as well.
 */
export async function takePassBack(octokit: Octokit, place: OwnChecks, check: PassCheck): Promise<void> {
  if (!(await hasPassed(octokit, place, check))) return;
  await create(octokit, place, { ...check, conclusion: 'cancelled' });
}

async function hasPassed(octokit: Octokit, place: OwnChecks, check: PassCheck): Promise<boolean> {
  const [newest] = await ownRuns(octokit, place, check);
  return newest?.external_id === otherPullId(place.number) && newest.conclusion === 'success';
}

async function create(
  octokit: Octokit,
  { where, number }: OwnChecks,
  { name, head, conclusion }: PassCheck & { readonly conclusion: 'success' | 'cancelled' },
): Promise<void> {
  const { title, summary } = notARunCheck(conclusion === 'success');
  await octokit.rest.checks.create({
    ...repoParams(where),
    ...{ name, head_sha: head, external_id: otherPullId(number), status: 'completed', conclusion },
    output: { title, summary },
  });
}

/**
 * Records a click on Approve as a check run of its own, which only we can write: a click leaves no text that
 * could be read again, and anyone with write access can force-push the ledger.
 */
export async function recordClick(octokit: Octokit, place: OwnChecks, click: Click): Promise<void> {
  if (await wasClicked(octokit, place, click)) return;
  await octokit.rest.checks.create({
    ...repoParams(place.where),
    name: clickName(click),
    head_sha: click.source.head_sha,
    external_id: clickId(place, click),
    status: 'completed',
    conclusion: 'neutral',
  });
}

/**
 * GitHub offers an App as the source of a required check only where the App has reported one lately, so a
 * first one is drawn on the newest commit of the default branch. It is cancelled, which satisfies no rule:
 * nothing was checked, and the commit may become the head of a pull request. An empty repository gets none.
 */
export async function drawFirstCheck(octokit: Octokit, where: RepositoryRef): Promise<void> {
  const head_sha = await newestCommit(octokit, where);
  if (head_sha === undefined) return;
  await octokit.rest.checks.create({
    ...repoParams(where),
    name: plainCheck,
    head_sha,
    external_id: 'installation',
    status: 'completed',
    conclusion: 'cancelled',
    output: {
      title: 'Coxswain is installed',
      summary:
        'Nothing was checked here. This check run lets GitHub offer this App as the source of the check in branch rules.',
    },
  });
}

/** By default GitHub lists the commits of the default branch, the newest first. */
async function newestCommit(octokit: Octokit, where: RepositoryRef): Promise<string | undefined> {
  // 409: the repository is empty.
  const found = await unless(octokit.rest.repos.listCommits({ ...repoParams(where), per_page: 1 }), 409);
  return found?.data[0]?.sha;
}

/** Creates the label that starts a run, unless it exists: like the first check, when the App is installed. */
export async function ensureTriggerLabel(
  octokit: Octokit,
  where: RepositoryRef,
  name: string,
): Promise<void> {
  const label = { name, color: '0b5fff', description: 'A coding agent is working on this' };
  // 422: it already exists.
  await unless(octokit.rest.issues.createLabel({ ...repoParams(where), ...label }), 422);
}
