import { randomBytes } from 'node:crypto';
import type { Context } from './context.ts';
import type { Account, App } from './model.ts';

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
