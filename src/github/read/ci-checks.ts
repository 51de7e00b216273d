import type { CheckReport } from '../../steering/ci/check-report.ts';
import { verdictOf } from '../../steering/ci/check-report.ts';
import type { CheckSpec } from '../../steering/settings.ts';
import { beginningOf } from '../../text/cut.ts';
import { redact } from '../../text/redact.ts';
import type { Octokit } from '../octokit/connect.ts';
import { GitHubFault } from '../octokit/fault.ts';
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
  const names = [...new Set(place.specs.map(({ check }) => check))];
  const runs = (await Promise.all(names.map((name) => runsNamed(octokit, place, name)))).flat();
  const found = place.specs.map((spec) => ({ spec, run: newest(runs.filter((run) => isOf(run, spec))) }));
  return Promise.all(
    found.flatMap(({ spec, run }) => (run === undefined ? [] : [reportOf(octokit, place, { spec, run })])),
  );
}

/**
 * Those of these checks, by name, of which not every run on the commit ended well, whatever came later: a
 * workflow on any branch can make another check run of the same name, by the same App.
 */
export async function contradictedChecks(octokit: Octokit, place: CiChecks): Promise<readonly string[]> {
  const names = [...new Set(place.specs.map(({ check }) => check))];
  const ever = { ...place, filter: 'all' } as const;
  const runs = (await Promise.all(names.map((name) => runsNamed(octokit, ever, name)))).flat();
  const contradicted = place.specs.filter((spec) => {
    const ended = runs.filter((run) => isOf(run, spec)).map(({ conclusion }) => conclusion);
    return !ended.includes('success') || ended.some((one) => !passing.includes(one));
  });
  return contradicted.map(({ name }) => name);
}

/** Null where it has not ended: then it takes nothing away from what has. */
const passing: readonly (string | null)[] = ['success', 'skipped', 'neutral', null];

type CheckRun = Awaited<ReturnType<typeof runsNamed>>[number];

/** One suite may have been run again, and a workflow may have been started twice: each has a latest one. */
async function runsNamed(
  octokit: Octokit,
  { where, ref, filter = 'latest' }: CiChecks & { readonly filter?: 'all' | 'latest' },
  check_name: string,
) {
  const place = { ...repoParams(where), ref, check_name, filter, per_page: 100 } as const;
  try {
    return await octokit.paginate(octokit.rest.checks.listForRef, place);
  } catch (fault) {
    // A commit that GitHub does not know yet, or no longer.
    if (fault instanceof GitHubFault && (fault.status === 404 || fault.status === 422)) return [];
    throw fault;
  }
}

function isOf({ name, app }: CheckRun, spec: CheckSpec): boolean {
  return name === spec.check && app?.slug === spec.app;
}

/** GitHub counts upwards. */
function newest(runs: readonly CheckRun[]): CheckRun | undefined {
  return runs.toSorted((one, other) => other.id - one.id)[0];
}

interface Found {
  readonly spec: CheckSpec;
  readonly run: CheckRun;
}

async function reportOf(octokit: Octokit, place: CiChecks, { spec, run }: Found): Promise<CheckReport> {
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
