import type { RequiredCheck } from '../../model.ts';
import { rulesOn } from '../../rules/applied.ts';
import type { RepositoryVisit } from '../visit.ts';

/** The checks without which nothing is merged into a branch. */
export function requiredChecksOf({ context, repository }: RepositoryVisit, base: string): RequiredCheck[] {
  return rulesOn(context, repository, `refs/heads/${base}`).flatMap(({ rule }) =>
    rule.type === 'required_status_checks' ? rule.parameters.required_status_checks : [],
  );
}
