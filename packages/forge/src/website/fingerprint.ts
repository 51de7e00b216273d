import type { Context } from '../context.ts';
import type { Repository } from '../model.ts';
import { hashOf } from './response.ts';

/**
 * Changes with everything that pages show of a repository (of all, without one), and costs no Git: each
 * change of a branch is in the activity.
 */
export function fingerprint({ store }: Context, repository: Repository | undefined): string {
  const { data } = store;
  const here = <Item extends { repository_id: number }>(items: Item[]) =>
    repository === undefined ? items : items.filter(({ repository_id }) => repository_id === repository.id);
  const facts = [
    repository ?? data.repositories,
    ...[here(data.issues), data.issue_events, here(data.comments), here(data.reviews)],
    ...[here(data.check_runs), here(data.statuses), here(data.activities), here(data.workflow_runs)],
    ...[data.accounts, data.installations],
  ];
  return hashOf(JSON.stringify(facts));
}
