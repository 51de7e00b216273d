import { randomBytes } from 'node:crypto';
import { issueToken } from '../apps.ts';
import type { Context } from '../context.ts';
import type { Account, App, AuthorizationCode, Grant, Token } from '../model.ts';

/** Whether the person lets the App act as them. */
export function isGranted({ store }: Context, app: App, person: Account): boolean {
  return store.data.grants.some(isOf(app, person));
}

/** The person lets the App act as them, which lasts until it is revoked. */
export function grant(context: Context, app: App, person: Account): void {
  if (!isGranted(context, app, person))
    context.store.data.grants.push({ app_id: app.id, account_id: person.id });
}

/** Ends all with which the App acts as the person, and tells the App so. */
export function revokeGrant(context: Context, app: App, person: Account): void {
  const { data } = context.store;
  const isTheirs = isOf(app, person);
  data.grants = data.grants.filter((one) => !isTheirs(one));
  data.authorization_codes = data.authorization_codes.filter((one) => !isTheirs(one));
  data.tokens = data.tokens.filter((one) => one.via_app_id !== app.id || one.account_id !== person.id);
  const event = { name: 'github_app_authorization', action: 'revoked', payload: {} };
  context.emit({ ...event, app_id: app.id, sender_id: person.id });
}

const lifetimeMs = 8 * 60 * 60 * 1000;

/** A user access token of an App: requests with it are the person's, performed through the App. */
export function userToken(context: Context, app: App, person: Account): Token {
  grant(context, app, person);
  const end = new Date(context.now().getTime() + lifetimeMs).toISOString();
  const expires_at = app.user_tokens_expire ? end : null;
  return issueToken(context, 'ghu', { account_id: person.id, expires_at, via_app_id: app.id });
}

const codeLifetimeMs = 10 * 60 * 1000;

/** A code that the App can exchange once, within ten minutes, for a token of the person. */
export function newCode(
  context: Context,
  { app, person }: { app: App; person: Account },
  facts: Pick<AuthorizationCode, 'redirect_uri' | 'code_challenge'>,
): string {
  const code = randomBytes(10).toString('hex');
  const expires_at = new Date(context.now().getTime() + codeLifetimeMs).toISOString();
  const given = { ...facts, code, app_id: app.id, account_id: person.id, expires_at };
  context.store.data.authorization_codes.push(given);
  return code;
}

/** The code if it is the App's and has time left; whoever asks for it uses it up. */
export function takeCode({ store, now }: Context, app: App, code: string): AuthorizationCode | undefined {
  const { data } = store;
  const given = data.authorization_codes.find((one) => one.code === code && one.app_id === app.id);
  if (!given) return undefined;
  data.authorization_codes = data.authorization_codes.filter((one) => one !== given);
  return Date.parse(given.expires_at) > now().getTime() ? given : undefined;
}

function isOf(app: App, person: Account) {
  return ({ app_id, account_id }: Grant) => app_id === app.id && account_id === person.id;
}
