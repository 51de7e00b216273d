import { createPublicKey, verify } from 'node:crypto';
import type { Context } from './context.ts';
import {
  type Account,
  type App,
  type Installation,
  isObject,
  type Json,
  type Permissions,
  type Token,
} from './model.ts';
import { badCredentials, HttpError } from './responses.ts';

/** Who sent the request. With the id and secret of a client an App sees no more than anybody does. */
export type Actor =
  | { kind: 'anonymous'; client?: App }
  | UserActor
  | { kind: 'app'; app: App }
  | InstallationActor;

/** A person, perhaps through an App that they authorized ("user-to-server"). */
export interface UserActor {
  kind: 'user';
  account: Account;
  via: { app: App; installations: Installation[] } | null;
}

export interface InstallationActor {
  kind: 'installation';
  account: Account;
  app: App;
  installation: Installation;
  permissions: Permissions;
  repository_ids: number[];
}

/** The account of a person or an App's bot. */
export function accountOf(actor: Actor): Account | undefined {
  return actor.kind === 'user' || actor.kind === 'installation' ? actor.account : undefined;
}

export function nameOf(actor: Actor): string {
  return actor.kind === 'app' ? actor.app.slug : (accountOf(actor)?.login ?? 'anonymous');
}

/**
 * Reads `Authorization: bearer|token <token or JWT>` or Basic: any user name with the token as password, or
 * the id and secret of an App's client.
 */
export function authenticate(context: Context, authorization: string | undefined): Actor {
  if (!authorization) return { kind: 'anonymous' };
  const { name, secret } = credentialsIn(authorization);
  const client = context.store.data.apps.find(({ client_id }) => client_id === name);
  if (client) return clientWith(client, secret);
  return secret.split('.').length === 3 ? appOf(context, secret) : ownerOf(context, secret);
}

function credentialsIn(authorization: string): { name?: string; secret: string } {
  const [scheme = '', value = ''] = authorization.trim().split(/\s+/, 2);
  if (/^(bearer|token)$/i.test(scheme)) return { secret: value };
  if (!/^basic$/i.test(scheme)) throw badCredentials();
  const [user = '', password = ''] = Buffer.from(value, 'base64').toString('utf8').split(':', 2);
  if (password === '' || password === 'x-oauth-basic') return { secret: user };
  return { name: user, secret: password };
}

function clientWith(client: App, secret: string): Actor {
  if (client.client_secret !== secret) throw badCredentials();
  return { kind: 'anonymous', client };
}

function ownerOf(context: Context, secret: string): Actor {
  const token = context.store.data.tokens.find((candidate) => candidate.token === secret);
  if (!token || isExpired(context, token)) throw badCredentials();
  const account = context.store.account(token.account_id);
  if (token.installation_id === null) return { kind: 'user', account, via: viaOf(context, token) };
  const installation = context.store.data.installations.find((one) => one.id === token.installation_id);
  if (!installation) throw badCredentials();
  return {
    kind: 'installation',
    account,
    installation,
    app: context.store.app(installation.app_id),
    permissions: currentPermissions(token.permissions, installation.permissions),
    repository_ids: installation.repository_ids.filter((id) => token.repository_ids?.includes(id) ?? true),
  };
}

function viaOf({ store }: Context, { via_app_id }: Token): UserActor['via'] {
  if (via_app_id === undefined) return null;
  const installations = store.data.installations.filter(({ app_id }) => app_id === via_app_id);
  return { app: store.app(via_app_id), installations };
}

export function isExpired(context: Context, token: Token): boolean {
  return token.expires_at !== null && Date.parse(token.expires_at) <= context.now().getTime();
}

/** A token never has more permissions than its installation has now. */
function currentPermissions(requested: Permissions | null, granted: Permissions): Permissions {
  if (requested === null) return granted;
  return Object.fromEntries(
    Object.entries(requested).flatMap(([name, level]) => {
      const most = granted[name];
      if (most === undefined) return [];
      return [[name, most === 'read' ? most : level]];
    }),
  );
}

/** The App whose key signed this JSON Web Token, checked by GitHub's rules. */
function appOf(context: Context, jwt: string): Actor {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  const { iss, exp, iat } = decoded(claims);
  const app = context.store.data.apps.find((one) => String(one.id) === String(iss) || one.client_id === iss);
  if (decoded(header)['alg'] !== 'RS256' || !app) {
    throw new HttpError(401, 'A JSON web token could not be decoded');
  }
  const key = createPublicKey(app.public_key);
  const signed = Buffer.from(`${header}.${claims}`);
  if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) {
    throw new HttpError(401, 'A JSON web token could not be decoded');
  }
  requireValidTimes({ iat, exp, now: context.now().getTime() / 1000 });
  return { kind: 'app', app };
}

function requireValidTimes({ iat, exp, now }: { iat: unknown; exp: unknown; now: number }): void {
  if (typeof exp !== 'number') throw new HttpError(401, "Missing 'exp' claim in assertion");
  if (exp <= now)
    throw new HttpError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time" +
        ' at which the assertion expires',
    );
  // GitHub allows ten minutes; one more is for clock differences.
  if (exp > now + 660) throw new HttpError(401, "'Expiration time' claim ('exp') is too far in the future");
  if (typeof iat === 'number' && iat > now + 60) {
    throw new HttpError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
}

function decoded(part: string): Json {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : {};
  } catch (cause) {
    throw Object.assign(badCredentials(), { cause });
  }
}
