import type { IssueRoute } from '../routes.ts';
import type { GitHubReader } from './github-reader.ts';

export interface IssueModel {
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly at: string;
  readonly open: boolean;
  readonly labels: readonly string[];
  readonly url: string;
}

export async function loadIssue(
  reader: GitHubReader,
  { owner, repo, number }: IssueRoute,
): Promise<IssueModel> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const { data } = await reader.get(route, { owner, repo, issue_number: number });
  return {
    title: data.title,
    body: data.body ?? '',
    author: data.user?.login ?? 'ghost',
    at: data.created_at,
    open: data.state === 'open',
    labels: labelNames(data.labels),
    url: data.html_url,
  };
}

export function labelNames(
  labels: readonly (string | { readonly name?: string | null })[],
): readonly string[] {
  return labels.map((label) => (typeof label === 'string' ? label : (label.name ?? '')));
}
