import { randomBytes } from 'node:crypto';
import { type Context, timestamp } from './context.ts';
import type { Account, App } from './model.ts';

export function addAccount(context: Context, login: string, type: Account['type']): Account {
  const existing = context.store.accountNamed(login);
  if (existing) throw new Error(`could not add ${login}: the name is taken`);
  const account: Account = {
    id: context.store.id(),
    login,
    type,
    created_at: timestamp(context),
  };
  context.store.data.accounts.push(account);
  return account;
}

const lifetimeMs = 8 * 60 * 60 * 1000;

/** A user access token of an App: requests with it are the person's, performed through the App. */
export function userToken(context: Context, app: App, person: Account): string {
  const token = `ghu_${randomBytes(18).toString('hex')}`;
  context.store.data.tokens.push({
    token,
    account_id: person.id,
    installation_id: null,
    permissions: null,
    repository_ids: null,
    expires_at: new Date(context.now().getTime() + lifetimeMs).toISOString(),
    via_app_id: app.id,
  });
  return token;
}
