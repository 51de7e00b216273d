import type { PullIssue, RequiredCheck } from '../../model.ts';
import { statusesOn } from '../../rules/checks.ts';
import type { RepositoryVisit } from '../visit.ts';
import { type Check, runsOn } from './check-list.ts';
import { requiredChecksOf } from './required.ts';

/** The required checks of which the expected App has said nothing yet. */
export function missingChecks(visit: RepositoryVisit, { pull }: PullIssue): Check[] {
  const { context, repository } = visit;
  const commit = { repository, sha: pull.head_sha };
  const runs = runsOn(visit, pull.head_sha);
  const said = [
    ...runs.map(({ name, app_id }) => ({ name, app_id })),
    ...statusesOn(context, commit).map((status) => ({ name: status.context, app_id: status.app_id })),
  ];
  const isSaid = ({ context: name, integration_id }: RequiredCheck) =>
    said.some((one) => one.name === name && (integration_id === undefined || integration_id === one.app_id));
  return requiredChecksOf(visit, pull.base_ref)
    .filter((required) => !isSaid(required))
    .map(({ context: name, integration_id }) => ({
      name,
      source: integration_id === undefined ? '' : context.store.app(integration_id).name,
      app_id: integration_id ?? null,
      state: 'expected',
      words: 'Expected — Waiting for status to be reported',
      href: undefined,
    }));
}
