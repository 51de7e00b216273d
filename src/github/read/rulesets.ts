import type { Octokit } from '../octokit/connect.ts';
import { unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** Who may go past a ruleset, as far as GitHub shows it. */
export interface RulesetBypass {
  readonly name: string;
  /** Whether the App itself may, in any case; undefined if GitHub does not say. */
  readonly own: boolean | undefined;
  /** How many people, teams and Apps may; only administrators see it. */
  readonly actors: number | undefined;
}

/** Undefined if GitHub does not show the ruleset at all. */
export async function readRulesetBypass(
  octokit: Octokit,
  where: RepositoryRef,
  ruleset_id: number,
): Promise<RulesetBypass | undefined> {
  const place = { ...repoParams(where), ruleset_id, includes_parents: true };
  const found = await unlessForbidden(octokit.rest.repos.getRepoRuleset(place));
  if (found === undefined) return undefined;
  const { name, current_user_can_bypass: own, bypass_actors } = found.data;
  return { name, own: own === undefined ? undefined : own !== 'never', actors: bypass_actors?.length };
}
