import type { Octokit } from '../octokit/connect.ts';
import { unless, unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository-ref.ts';

/** What a repository lets GitHub Actions do; each part is undefined where GitHub does not show it. */
export type ActionsSettings = Awaited<ReturnType<typeof readActionsSettings>>;

/** Only administrators, and Apps with `administration: read` and `secrets: read`, see all of it. */
export async function readActionsSettings(octokit: Octokit, where: RepositoryRef) {
  const place = repoParams(where);
  const { actions } = octokit.rest;
  const [permissions, workflow, secrets] = await Promise.all([
    unlessForbidden(actions.getGithubActionsPermissionsRepository(place)),
    unlessForbidden(actions.getGithubActionsDefaultWorkflowPermissionsRepository(place)),
    unlessForbidden(octokit.paginate(actions.listRepoSecrets, { ...place, per_page: 100 })),
  ]);
  return {
    enabled: permissions?.data.enabled,
    /** Whether a workflow may create pull requests, if it has the permission. */
    may_create_pulls: workflow?.data.can_approve_pull_request_reviews,
    /** What the token of a workflow may that says nothing about it. */
    default_token: workflow?.data.default_workflow_permissions,
    /** The names of the repository's secrets; those of its organization are not among them. */
    secrets: secrets?.map(({ name }) => name),
  };
}

/** Whether a repository has a label of this name. */
export async function hasLabelNamed(octokit: Octokit, where: RepositoryRef, name: string): Promise<boolean> {
  const found = await unless(octokit.rest.issues.getLabel({ ...repoParams(where), name }), 404);
  return found !== undefined;
}

/** The titles of the deploy keys that may push; undefined if GitHub does not show the keys. */
export async function writingDeployKeys(
  octokit: Octokit,
  where: RepositoryRef,
): Promise<readonly string[] | undefined> {
  const keys = await unlessForbidden(
    octokit.paginate(octokit.rest.repos.listDeployKeys, { ...repoParams(where), per_page: 100 }),
  );
  return keys?.filter(({ read_only }) => !read_only).map(({ title }) => title);
}

/** Who may go past a ruleset, as far as GitHub shows it; undefined if it does not show the ruleset at all. */
export async function readRulesetBypass(octokit: Octokit, where: RepositoryRef, ruleset_id: number) {
  const place = { ...repoParams(where), ruleset_id, includes_parents: true };
  const found = await unlessForbidden(octokit.rest.repos.getRepoRuleset(place));
  if (found === undefined) return undefined;
  const { name, current_user_can_bypass: own, bypass_actors } = found.data;
  return {
    name,
    /** Whether the App itself may, in any case; undefined if GitHub does not say. */
    own: own && own !== 'never',
    /** How many people, teams and Apps may; only administrators see it. */
    actors: bypass_actors?.length,
  };
}

/** Where a run of a workflow stands; undefined if we may not see it, which needs `actions: read`. */
export async function readWorkflowRun(octokit: Octokit, where: RepositoryRef, run_id: number) {
  const answer = await unlessForbidden(
    octokit.rest.actions.getWorkflowRun({ ...repoParams(where), run_id, exclude_pull_requests: true }),
  );
  if (answer === undefined) return undefined;
  const { status, run_attempt = 1 } = answer.data;
  // None of its jobs runs any more, or will. One that is run again keeps its id: attempts count from 1.
  return { completed: status === 'completed', run_attempt };
}
