import type { CheckRun } from '../../model.ts';
import { requestAction } from '../../operations/check-actions.ts';
import { needs, requireAccess } from '../../permissions.ts';
import { HttpError } from '../../responses.ts';
import type { Deed, RepositoryVisit } from '../visit.ts';

/** Presses one of the App's buttons. */
const runAction: Deed = async (visit, { form: fields }) => {
  const { context, repository, actor } = visit;
  requireAccess(actor, { repository, needs: needs('write', { checks: 'write' }) });
  const run = runWith(visit, Number(fields.get('run')));
  const identifier = fields.get('identifier') ?? '';
  if (!requestAction(context, run, { identifier, sender_id: actor.account.id })) {
    throw new HttpError(422, `${run.name} does not offer this button any more.`);
  }
  return visit.path + query(visit);
};

const rerun: Deed = async (visit, { form: fields }) => {
  const run = runWith(visit, Number(fields.get('run')));
  await visit.api('POST', `/repos${visit.at}/check-runs/${run.id}/rerequest`);
  return visit.path + query(visit);
};

export const checkDeeds = { 'run-action': runAction, rerun };

function query(visit: RepositoryVisit): string {
  const text = visit.query.toString();
  return text === '' ? '' : `?${text}`;
}

function runWith({ context, repository }: RepositoryVisit, id: number): CheckRun {
  const { check_runs } = context.store.data;
  const run = check_runs.find((one) => one.id === id && one.repository_id === repository.id);
  if (!run) throw new HttpError(404, 'There is no such check run.');
  return run;
}
