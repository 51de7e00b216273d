import type { Command } from '../../steering/command.ts';
import { at } from '../read/where.ts';
import { hearSaying, placeOf } from './command-event.ts';
import type { HeardOf } from './github-event.ts';
import type { Hearing } from './run-event.ts';
import type { Ears } from './translate.ts';

/** A button says its word for the commit of its check run. It has no room for a reason. */
export async function hearClick(heard: HeardOf<'click'>, ears: Ears): Promise<Hearing[]> {
  const { check_run_id, external_id, identifier, head_sha, sender } = heard;
  const command = commandOf(identifier, head_sha);
  const number = numberIn(external_id);
  if (command === undefined || number === undefined) return [];
  const saying = {
    place: placeOf(heard),
    number,
    id: `click:${external_id}:${identifier}:${sender.login}`,
    at: null,
    speaker: sender,
    command,
    source: { from: 'click', check_run_id, head_sha, interaction: external_id },
  } as const;
  return hearSaying(saying, ears);
}

function commandOf(identifier: string, head_sha: string): Command | undefined {
  switch (identifier) {
    case 'approve':
      return { type: 'approve', sha: head_sha, despite: [] };
    case 'reject':
      return { type: 'reject', reason: 'rejected by button' };
    case 'retry':
      return { type: 'retry' };
    case 'cancel':
      return { type: 'cancel' };
  }
  return undefined;
}

/** "Re-run" is `/verify`: the verifiers once more on the same commit, and no agent. */
export async function hearRecheck(heard: HeardOf<'recheck'>, ears: Ears): Promise<Hearing[]> {
  const { suite_id, head_sha, sender } = heard;
  const check = heard.check_run ?? (await ourCheckIn(heard, ears));
  const number = await numberOf(heard, ears);
  if (check === undefined || number === undefined) return [];
  const saying = {
    place: placeOf(heard),
    number,
    id: `recheck:${suite_id}@${heard.at}`,
    at: heard.at,
    speaker: sender,
    command: { type: 'verify' },
    source: { from: 'click', check_run_id: check.id, head_sha, interaction: check.external_id },
  } as const;
  return hearSaying(saying, ears);
}

type Recheck = HeardOf<'recheck'>;

async function ourCheckIn({ repository, suite_id }: Recheck, { octokit }: Ears) {
  const { data } = await octokit.rest.checks.listForSuite({
    ...at(repository),
    check_suite_id: suite_id,
    check_name: 'Coxswain',
    per_page: 1,
  });
  const [check] = data.check_runs;
  return check && { id: check.id, external_id: check.external_id ?? '' };
}

/** GitHub names no pull requests where the head is in a fork, or was when the suite was made. */
async function numberOf(heard: Recheck, { octokit }: Ears): Promise<number | undefined> {
  const told = numberIn(heard.check_run?.external_id ?? '') ?? heard.numbers[0];
  if (told !== undefined) return told;
  const commit_sha = heard.head_sha;
  const { data } = await octokit.rest.repos.listPullRequestsAssociatedWithCommit({
    ...at(heard.repository),
    commit_sha,
  });
  return data.find(({ state, head }) => state === 'open' && head.sha === commit_sha)?.number;
}

/** An interaction's id is `<kind>:<pull request>:<seq>`. */
function numberIn(external_id: string): number | undefined {
  const found = /^[a-z_]+:(\d+):\d+$/.exec(external_id);
  return found?.[1] === undefined ? undefined : Number(found[1]);
}
