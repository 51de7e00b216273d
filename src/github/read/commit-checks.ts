import { verifierCheck } from '../../config/check-names.ts';
import { type CheckReport, verdictOf } from '../../steering/shapes/check-report.ts';
import type { Account, Source } from '../../steering/shapes/people.ts';
import type { CheckSpec } from '../../steering/shapes/settings.ts';
import { beginningOf } from '../../text/characters.ts';
import { redact } from '../../text/redact.ts';
import { seqIn, withheldIn } from '../marks.ts';
import { clickPrefix, groupCheckId, isDecisionOn, isOfRun } from '../names.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { isOwnCheck, type Own } from '../own.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** Our check runs on the commits of a pull request, which nobody else can write. */
export interface OwnChecks {
  readonly where: RepositoryRef;
  readonly number: number;
  readonly own: Own;
}

/**
 * Whether our newest check run of that name, which tells the base, succeeded on a commit, as only the final
 * check of a run does.
 */
export async function hasSucceeded(
  octokit: Octokit,
  place: OwnChecks,
  decided: { readonly head: string; readonly name: string },
): Promise<boolean> {
  const runs = await ownRuns(octokit, place, decided);
  const ours = runs.filter(({ external_id }) => isDecisionOn(place.number, external_id));
  // A revoked approval leaves an older one that succeeded.
  return ours[0]?.conclusion === 'success';
}

/**
 * Those of these verifiers whose newest check run of ours on the commit is not green, or does not exist.
 * Their names begin with that of the check run that decides, which tells the base.
 */
export async function unprovenVerifiers(
  octokit: Octokit,
  place: OwnChecks,
  {
    head,
    check,
    names,
  }: { readonly head: string; readonly check: string; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const runs = await ownRuns(octokit, place, { head });
  const ours = runs.filter(({ external_id }) => external_id?.startsWith(`verifier:${place.number}:`));
  return names.filter((name) => {
    const newest = ours.find((run) => run.name === verifierCheck(check, name));
    return newest?.conclusion !== 'success';
  });
}

/**
 * The newest ledger commit from which one of our check runs on a commit was drawn for this pull request; its
 * number is 0 if there is none. Only we can write them, so the ledger must have reached it.
 */
export async function drawnOn(octokit: Octokit, place: OwnChecks, head: string): Promise<number> {
  const runs = await ownRuns(octokit, place, { head });
  const ours = runs.filter(({ external_id }) => isOfRun(external_id, place.number));
  // Older versions drew no number, but they drew nothing without a ledger.
  return Math.max(0, ...ours.map(({ output }) => seqIn(output.text) ?? 1));
}

export interface Click {
  readonly by: Account;
  readonly source: Extract<Source, { from: 'click' }>;
}

/**
 * Whether we recorded this click on Approve, on a button that we showed for this interaction. Both check runs
 * are known by their ids: a verifier can have any name, and with it the name of a click.
 */
export async function wasClicked(octokit: Octokit, place: OwnChecks, click: Click): Promise<boolean> {
  const { check_run_id, head_sha, interaction } = click.source;
  if (interaction.split(':')[1] !== String(place.number)) return false;
  const runs = await ownRuns(octokit, place, { head: head_sha });
  const hasButton = runs.some(({ id, external_id }) => id === check_run_id && external_id === interaction);
  return hasButton && runs.some(({ external_id }) => external_id === clickId(place, click));
}

/** The name of the check run that records a click. */
export function clickName({ by }: Click): string {
  return `Coxswain / ${by.login} clicked on Approve`;
}

/** The `external_id` of the check run that records a click, with which it is found again. */
export function clickId({ number }: OwnChecks, { by, source }: Click): string {
  return `${clickPrefix}${number}:${source.check_run_id}:approve:${by.id}`;
}

/** All of ours on a commit, of one name if it is given, newest first; GitHub keeps up to 1,000 of each. */
export async function ownRuns(
  octokit: Octokit,
  { where, own }: OwnChecks,
  {
    head,
    name,
    filter = 'all',
  }: { readonly head: string; readonly name?: string; readonly filter?: 'all' | 'latest' },
) {
  const runs = await octokit.paginate(octokit.rest.checks.listForRef, {
    ...repoParams(where),
    ref: head,
    ...(name !== undefined && { check_name: name }),
    ...('id' in own.app && { app_id: own.app.id }),
    filter,
    per_page: 100,
  });
  return runs.filter((run) => isOwnCheck(run, own)).sort((one, other) => other.id - one.id);
}

/** Every time that something of ours on a commit took back what permitted merging this pull request. */
export async function withheldOn(octokit: Octokit, place: OwnChecks, head: string) {
  const runs = await ownRuns(octokit, place, { head });
  const ours = runs.filter(({ external_id }) => isDecisionOn(place.number, external_id));
  return ours.flatMap(({ output, completed_at }) => {
    const withheld = withheldIn(output.text);
    return withheld === undefined || completed_at === null ? [] : [{ ...withheld, at: completed_at }];
  });
}

/** GitHub lists no more commits of a comparison. */
const maxListed = 250;

/** The line that every commit of an attempt has. */
const trailer = /^Coxswain-Run: /m;

/**
 * Whether a commit between base and head was ever the head of a run: one of ours, or one that has a check of
 * a run. So is the head of a merge group, on which a check for somebody's pull request would let the group
 * be merged. Also true where GitHub does not list all commits. The pull request is not asked, because it may
 * have moved to another head or base since; the base is a branch, the head a commit, which cannot move.
 */
export async function hasCommitOfRun(
  octokit: Octokit,
  place: OwnChecks,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<boolean> {
  // Without a page, GitHub lists as many commits as it lists for a pull request.
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
    ...repoParams(place.where),
    basehead: `${base}...${head}`,
  });
  const { commits, total_commits } = data;
  if (total_commits > Math.min(commits.length, maxListed)) return true;
  if (commits.some(({ commit }) => trailer.test(commit.message))) return true;
  for (const { sha } of commits.toReversed()) {
    const runs = await ownRuns(octokit, place, { head: sha });
    if (runs.some(({ external_id }) => external_id === groupCheckId || isOfRun(external_id))) return true;
  }
  return false;
}

/** Where checks of the repository's own CI are looked for. */
interface CiChecks {
  readonly where: RepositoryRef;
  /** A commit, or a branch. */
  readonly ref: string;
  readonly specs: readonly CheckSpec[];
  /** Values to redact from what they say. */
  readonly secrets: readonly string[];
}

const maxText = 10_000;

/**
 * Of each check the newest check run on a commit, if there is one: of that name, by that App. Others can give
 * theirs the same name, but which App made it only GitHub says.
 */
export async function readCiChecks(octokit: Octokit, place: CiChecks): Promise<readonly CheckReport[]> {
  const runs = await runsOf(octokit, place, 'latest');
  // GitHub counts upwards.
  const newestFirst = runs.toSorted((one, other) => other.id - one.id);
  const reports = place.specs.map((spec) => {
    const run = newestFirst.find((each) => isOf(each, spec));
    return run === undefined ? [] : reportOf(octokit, place, { spec, run });
  });
  return (await Promise.all(reports)).flat();
}

/**
 * Those of these checks, by name, of which not every run on the commit ended well, whatever came later: a
 * workflow on any branch can make another check run of the same name, by the same App.
 */
export async function contradictedChecks(octokit: Octokit, place: CiChecks): Promise<readonly string[]> {
  const runs = await runsOf(octokit, place, 'all');
  const contradicted = place.specs.filter((spec) => {
    const ended = runs.filter((run) => isOf(run, spec)).map(({ conclusion }) => conclusion);
    return !ended.includes('success') || ended.some((one) => !passing.includes(one));
  });
  return contradicted.map(({ name }) => name);
}

/** Null where it has not ended: then it takes nothing away from what has. */
const passing: readonly (string | null)[] = ['success', 'skipped', 'neutral', null];

type CheckRun = Awaited<ReturnType<typeof runsOf>>[number];

/** One suite may have been run again, and a workflow may have been started twice: each has a latest one. */
async function runsOf(octokit: Octokit, { where, ref, specs }: CiChecks, filter: 'all' | 'latest') {
  const place = { ...repoParams(where), ref, filter, per_page: 100 };
  const named = [...new Set(specs.map(({ check }) => check))].map((check_name) =>
    // A commit may be one that GitHub does not know yet, or no longer.
    unless(octokit.paginate(octokit.rest.checks.listForRef, { ...place, check_name }), 404, 422),
  );
  return (await Promise.all(named)).flatMap((runs) => runs ?? []);
}

function isOf({ name, app }: CheckRun, spec: CheckSpec): boolean {
  return name === spec.check && app?.slug === spec.app;
}

async function reportOf(
  octokit: Octokit,
  place: CiChecks,
  { spec, run }: { readonly spec: CheckSpec; readonly run: CheckRun },
): Promise<CheckReport> {
  const { id, status, conclusion, started_at, completed_at, output, html_url } = run;
  const report = { name: spec.name, id, status, conclusion, started_at, completed_at };
  const notes =
    verdictOf({ ...report, text: '', url: '' }) === 'red' ? await notesOf(octokit, place, run) : [];
  const parts = [output.title, output.summary, output.text, ...notes].map((part) => part?.trim() ?? '');
  const text = redact(parts.filter((part) => part !== '').join('\n\n'), place.secrets);
  return { ...report, text: beginningOf(text, maxText), url: html_url ?? '' };
}

/** Jobs of GitHub Actions have no text of their own, but say in annotations what failed. */
async function notesOf(octokit: Octokit, { where }: CiChecks, { id, output }: CheckRun) {
  if (output.annotations_count === 0) return [];
  const place = { ...repoParams(where), check_run_id: id, per_page: 50 };
  const { data } = await octokit.rest.checks.listAnnotations(place);
  return data
    .filter(({ annotation_level }) => annotation_level === 'failure')
    .map(({ path, start_line, message }) => `${path}:${start_line}: ${message ?? ''}`);
}
