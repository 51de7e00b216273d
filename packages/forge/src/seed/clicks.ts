import type { Context } from '../context.ts';
import type { Repository } from '../model.ts';
import { requestAction } from '../operations/check-actions.ts';
import { atLeast, roleOf } from '../permissions.ts';
import { accountCalled } from './lookup.ts';

/** Clicks a button of a check run, which only people with write access see. */
export function clickAction(
  context: Context,
  repository: Repository,
  { id, identifier, login }: { id: number; identifier: string; login: string },
): void {
  const run = context.store.data.check_runs.find(
    (one) => one.id === id && one.repository_id === repository.id,
  );
  const account = accountCalled(context, login);
  if (!atLeast(roleOf(account, repository), 'write')) {
    throw new Error(`could not click ${identifier}: ${login} has no write access and sees no buttons`);
  }
  if (!run || !requestAction(context, run, { identifier, sender_id: account.id })) {
    throw new Error(`could not click ${identifier}: check run ${id} shows no such button`);
  }
}
