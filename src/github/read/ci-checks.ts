import type { CheckReport } from '../../steering/shapes/check-report.ts';
import { verdictOf } from '../../steering/shapes/check-report.ts';
import type { CheckSpec } from '../../steering/shapes/settings.ts';
import { beginningOf } from '../../text/cut.ts';
import { redact } from '../../text/redact.ts';
import type { Octokit } from '../octokit/connect.ts';
import { unless } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Where checks of the repository's own CI are looked for. */
export interface CiChecks {
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
