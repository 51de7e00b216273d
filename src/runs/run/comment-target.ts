import type { PullTarget } from '../../github/write/pull-target.ts';
import type { Repository } from '../repository/repository.ts';
import type { Services } from './services.ts';

type TargetServices = Pick<Services, 'presenter' | 'log' | 'clock' | 'secrets' | 'others'>;

/** An issue or a pull request of a repository, as a target for comments. */
export function targetOf(
  { octokit, own, owner, name: repo, id: repository_id }: Repository,
  number: number,
  { presenter, log, clock, secrets, others }: TargetServices,
): PullTarget {
  const id = `${owner}/${repo}#${number}`;
  return {
    octokit,
    own,
    log,
    clock,
    secrets,
    others,
    run: { id, repository_id, owner, repo, number, presenter },
  };
}
