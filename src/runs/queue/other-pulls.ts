import { type ConfigReading, readConfig } from '../../config/read.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import type { Account } from '../../github/events/github-event.ts';
import { hasCommitOfRun } from '../../github/read/commit-checks.ts';
import { letPullPass, takePassBack } from '../../github/write/completed-checks.ts';
import { ledgersOf } from '../../ledger/list-ledgers.ts';
import type { Repository } from '../../repository/repository.ts';
import type { RepositoryRuns } from '../run/live-runs.ts';

/** A pull request that is not a run, as far as its webhook shows, which GitHub has just sent. */
export interface OtherPull {
  readonly number: number;
  readonly opener: Account;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly commits: number;
  readonly default_branch: string;
}

/**
 * Gives a pull request that is not a run a successful check for its base, where the configuration says so.
 * Only the App does, because only its check may be required.
 */
export async function letPass(pull: OtherPull, runs: RepositoryRuns): Promise<void> {
  const { repository } = runs;
  if (runs.services.presenter !== 'app') return;
  const reading = await recentConfiguration(pull.default_branch, runs);
  if (reading.outcome === 'misconfigured' || !mayPass(pull, reading.others, repository)) return;
  const { octokit, own } = repository;
  const place = { where: repository, number: pull.number, own };
  const base = { base: pull.base_ref, default_branch: pull.default_branch };
  const check = { name: settingsFor(reading, base).check, head: pull.head_sha };
  const commits = { base: pull.base_ref, head: pull.head_sha };
  if ((await hasLedger(repository, pull.number)) || (await hasCommitOfRun(octokit, place, commits)))
    return takePassBack(octokit, place, check);
  await letPullPass(octokit, place, check);
  // A run that began before this check was drawn may not have seen it; one that begins later replaces it.
  if (await hasLedger(repository, pull.number)) await takePassBack(octokit, place, check);
}

/** Each costs a request, and GitHub lists no more. */
const maxCommits = 250;

type OthersRule = Extract<ConfigReading, { outcome: 'configured' }>['others'];

/** People, also from forks, and the bots of the configuration; never what we opened ourselves. */
export function mayPass(
  { opener, commits }: Pick<OtherPull, 'opener' | 'commits'>,
  { pass, bots }: OthersRule,
  { own }: Repository,
): boolean {
  if (!pass || commits > maxCommits || opener.login === own.login) return false;
  return !opener.bot || bots.includes(opener.login.toLowerCase());
}

/** Whether the pull request is or was a run, whatever its labels say. */
async function hasLedger({ remote }: Repository, number: number): Promise<boolean> {
  return (await ledgersOf(remote, [number])).size > 0;
}

/** Without a clone, because nothing of Coxswain may ever have happened in this repository. */
export async function recentConfiguration(ref: string, runs: RepositoryRuns): Promise<ConfigReading> {
  const { configPath: path, operator } = runs.services;
  return readConfig(await runs.configuration(), { path, ref }, operator);
}
