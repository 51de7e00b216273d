import type { Context } from '../context.ts';
import type { CheckRun } from '../model.ts';
import { checkRunEventPayload } from '../payloads/checks.ts';

interface Click {
  identifier: string;
  sender_id: number;
}

/** Tells the App of a check run that somebody pressed one of its buttons; false if there is none such. */
export function requestAction(context: Context, run: CheckRun, { identifier, sender_id }: Click): boolean {
  if (!run.actions.some((action) => action.identifier === identifier)) return false;
  const repository = context.store.repository(run.repository_id);
  const payload = { check_run: checkRunEventPayload(context, run), requested_action: { identifier } };
  const to = { name: 'check_run', action: 'requested_action', app_id: run.app_id };
  context.emit({ ...to, repository, sender_id, payload });
  return true;
}
