import { type ConfigReading, readConfig } from '../../config/read.ts';
import { settingsFor } from '../../config/settings-by-base.ts';
import { listRemote } from '../../git/remote.ts';
import type { Account } from '../../github/events/github-event.ts';
import { hasCommitOfRun } from '../../github/read/commit-checks.ts';
import { fileOnDefaultBranch } from '../../github/read/repository-ref.ts';
import { letPullPass, takePassBack } from '../../github/write/pass-check.ts';
import type { Repository } from '../../repository/repository.ts';
import type { Services } from '../run/services.ts';

/** A pull request that is not a run, as far as its webhook shows, which GitHub has just sent. */
export interface OtherPull {
  readonly number: number;
  readonly opener: Account;
  readonly head_sha: string;
  readonly base_ref: string;
  readonly commits: number;
  readonly default_branch: string;
}

interface Where {
  readonly repository: Repository;
  readonly services: Services;
}

/**
 * Gives a pull request that is not a run a successful check for its base, where the configuration says so.
 * Only the App does, because only its check may be required.
 */
export async function letPass(pull: OtherPull, where: Where): Promise<void> {
  const { repository, services } = where;
  if (services.presenter !== 'app') return;
  const reading = await recentConfiguration(pull, where);
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
  const refs = await listRemote(remote, [`refs/coxswain/*/${number}`, `refs/coxswain/broken/${number}-*`]);
  return refs.size > 0;
}

/** Most pull requests of a busy organization are not runs, so they cost a request a minute at most. */
const keptMs = 60_000;

interface Kept {
  readonly until: number;
  readonly reading: Promise<ConfigReading>;
}

const kept = new WeakMap<Repository, Kept>();

/** Without a clone, because nothing of Coxswain may ever have happened in this repository. */
export function recentConfiguration(
  pull: Pick<OtherPull, 'default_branch'>,
  { repository, services }: Where,
): Promise<ConfigReading> {
  const now = services.clock.now().getTime();
  const known = kept.get(repository);
  if (known !== undefined && now < known.until) return known.reading;
  const reading = readFromGitHub(pull, { repository, services });
  kept.set(repository, { until: now + keptMs, reading });
  reading.catch(() => kept.delete(repository));
  return reading;
}

async function readFromGitHub(
  pull: Pick<OtherPull, 'default_branch'>,
  { repository, services }: Where,
): Promise<ConfigReading> {
  const { configPath: path, operator } = services;
  const text = await fileOnDefaultBranch(repository.octokit, repository, path);
  return readConfig(text, { path, ref: pull.default_branch }, operator);
}
