import { type Context, timestamp } from './context.ts';
import type { Account } from './model.ts';

export function addAccount(context: Context, login: string, type: Account['type']): Account {
  const existing = context.store.accountNamed(login);
  if (existing) throw new Error(`could not add ${login}: the name is taken`);
  const account: Account = {
    id: context.store.id(),
    login,
    type,
    created_at: timestamp(context),
    deleted: false,
  };
  context.store.data.accounts.push(account);
  return account;
}

/** Deletes an account as its owner would: tokens and roles are removed, its texts stay without an author. */
export function deleteAccount(context: Context, account: Account): void {
  const { data } = context.store;
  if (data.repositories.some(({ owner_id }) => owner_id === account.id)) {
    throw new Error(`could not delete ${account.login}: the account owns repositories`);
  }
  account.deleted = true;
  data.tokens = data.tokens.filter(({ account_id }) => account_id !== account.id);
  for (const { collaborators } of data.repositories) delete collaborators[String(account.id)];
}
