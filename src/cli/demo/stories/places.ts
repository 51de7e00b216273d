import { compareLink } from '../../../github/words/links.ts';
import type { State } from '../../../steering/state.ts';

/** Where things of a run are: on the App's page, by path, and on GitHub's side. */
export interface Places {
  readonly issue: string;
  /** A part of the run's page. */
  run(part?: string): string;
  /** The pull request on GitHub's side. */
  pull(tab?: 'files'): string;
  /** Where the pull request is merged, on GitHub's side. */
  readonly mergeBox: string;
  /** What the run has changed since its first iteration. */
  readonly sinceFirst: string;
  /** The form that changes a file on the run's branch. */
  edit(path: string): string;
}

/** `web` is the address of GitHub's side. */
export function placesOf({ run, iterations }: State, web: string): Places {
  const { owner, repo, number, branch, issue } = run;
  const repository = `${web}/${owner}/${repo}`;
  const first = iterations[0]?.head_after ?? run.head;
  const last = iterations.at(-1)?.head_after ?? run.head;
  return {
    issue: `/${owner}/${repo}/issues/${issue}`,
    run: (part) => `/${owner}/${repo}/pull/${number}${part === undefined ? '' : `#${part}`}`,
    pull: (tab) => `${repository}/pull/${number}${tab === undefined ? '' : `/${tab}`}`,
    mergeBox: `${repository}/pull/${number}#partial-pull-merging`,
    sinceFirst: compareLink(repository, first, last),
    edit: (path) => `${repository}/edit/${branch}/${path}`,
  };
}
