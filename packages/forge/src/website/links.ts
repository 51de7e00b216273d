import type { Links } from './text/markdown.ts';
import type { RepositoryVisit } from './visit.ts';

/** What texts of a repository may refer to. */
export function linksIn({ context, repository, at }: RepositoryVisit): Links {
  return {
    issue(number) {
      const issue = context.store.issue(repository, number);
      return issue && `${at}/${issue.pull ? 'pull' : 'issues'}/${number}`;
    },
    commit: (sha) => `${at}/commit/${sha}`,
  };
}
