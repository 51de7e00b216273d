import type { Octokit } from '../octokit/connect.ts';
import { unlessForbidden } from '../octokit/fault.ts';
import { type RepositoryRef, repoParams } from './repository.ts';

/** What a repository lets GitHub Actions do; each part is undefined where GitHub does not show it. */
export interface ActionsSettings {
  readonly enabled: boolean | undefined;
  /** Whether a workflow may create pull requests, if it has the permission. */
  readonly may_create_pulls: boolean | undefined;
  /** What the token of a workflow may that says nothing about it. */
  readonly default_token: 'read' | 'write' | undefined;
  /** The names of the repository's secrets; those of its organization are not among them. */
  readonly secrets: readonly string[] | undefined;
}

/** Only administrators, and Apps with `administration: read` and `secrets: read`, see all of it. */
export async function readActionsSettings(octokit: Octokit, where: RepositoryRef): Promise<ActionsSettings> {
  const place = repoParams(where);
  const { actions } = octokit.rest;
  const [permissions, workflow, secrets] = await Promise.all([
    unlessForbidden(actions.getGithubActionsPermissionsRepository(place)),
    unlessForbidden(actions.getGithubActionsDefaultWorkflowPermissionsRepository(place)),
    unlessForbidden(octokit.paginate(actions.listRepoSecrets, { ...place, per_page: 100 })),
  ]);
  return {
    enabled: permissions?.data.enabled,
    may_create_pulls: workflow?.data.can_approve_pull_request_reviews,
    default_token: workflow?.data.default_workflow_permissions,
    secrets: secrets?.map(({ name }) => name),
  };
}
