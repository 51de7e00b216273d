import { createHash } from 'node:crypto';
import { readCiChecks } from '../../github/read/commit-checks.ts';
import { messageOf } from '../../repository/faults.ts';
import { knownChecks } from '../../steering/approval/ci-results.ts';
import { table } from '../../steering/phases/table.ts';
import {
  type CheckReport,
  changingParts,
  isSameNews,
  verdictOf,
} from '../../steering/shapes/check-report.ts';
import type { CheckSpec } from '../../steering/shapes/settings.ts';
import { isAwaitingChecks } from '../../steering/shapes/standing.ts';
import type { State } from '../../steering/state/state.ts';
import type { Run } from './run.ts';

/**
 * Asks GitHub for the checks of CI that the run waits for, or that its commit was judged by, and records what
 * it says if that is news. Other runs cost no request.
 */
export async function reportChecks(run: Run): Promise<void> {
  const state = run.newest;
  const judgedBy = state && judgedAt(state);
  const specs = state?.settings.checks ?? [];
  if (state === undefined || judgedBy === undefined || specs.length === 0) return;
  const reports = await readChecks(run, state.head, specs);
  if (isSameNews(knownChecks(state), reports)) return;
  const checks = await withBase(run, state, reports);
  const digest = createHash('sha256').update(changingParts(reports)).digest('hex').slice(0, 16);
  const id = `checks:${state.head}:${digest}@${judgedBy}`;
  await run.record({ type: 'checks_reported', id, at: run.now(), head: state.head, checks });
}

/** What GitHub says of these checks on a commit, or on the tip of a branch. */
export function readChecks(
  { repository, services: { secrets } }: Run,
  ref: string,
  specs: readonly CheckSpec[],
): Promise<readonly CheckReport[]> {
  return readCiChecks(repository.octokit, { where: repository, ref, specs, secrets });
}

/**
 * What a report is for, as a part of its event's name: the same check may be judged again. Undefined where
 * nothing of the head was judged, or will be without another report.
 */
function judgedAt({ standing, shown, head }: State): string | undefined {
  if (isAwaitingChecks(standing)) return standing.awaits.since;
  const { kind } = table[standing.phase];
  const isJudged = kind === 'asks' || kind === 'approved';
  return isJudged && shown?.head_sha === head ? shown.at : undefined;
}

/** Of those that are red, whether they are red on the base as well. */
async function withBase(
  run: Run,
  state: State,
  reports: readonly CheckReport[],
): Promise<readonly CheckReport[]> {
  const red = reports.filter((report) => verdictOf(report) === 'red').map(({ name }) => name);
  const specs = (state.settings.checks ?? []).filter(({ name }) => red.includes(name));
  if (specs.length === 0) return reports;
  const base = await baseOf(run, state);
  const there = await readChecks(run, base, specs).catch((fault: unknown) => {
    run.services.log.warn(`could not read the checks of ${base} for ${run.name}: ${messageOf(fault)}`);
    return [];
  });
  const before = there.filter((report) => verdictOf(report) === 'red').map(({ name }) => name);
  return reports.map((report) => (before.includes(report.name) ? { ...report, red_on_base: base } : report));
}

/** The commit without the change, if the verifiers have run there, or else the tip of the base. */
async function baseOf({ repository }: Run, { standing, shown, run }: State): Promise<string> {
  const known = isAwaitingChecks(standing) ? standing.awaits.found.baseline : shown?.baseline;
  if (known !== undefined) return known.base;
  const mirror = await repository.mirror();
  return (await mirror.resolve(`refs/heads/${run.base}`)) ?? run.base;
}
