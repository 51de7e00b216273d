import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { isObject, type Json } from '../model.ts';
import type { ForgeRequest, ForgeResponse } from '../requests.ts';
import { takeCode, userToken } from './grants.ts';

/**
 * `POST /login/oauth/access_token`: a code for a token. As on GitHub the status is 200 even if it is
 * refused, and the answer is a form unless JSON is asked for.
 */
export function exchangeCode(context: Context, request: ForgeRequest): ForgeResponse {
  const answer = answerTo(context, fieldsIn(request));
  const isJson = request.headers.accept?.includes('application/json') ?? false;
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'max-age=0, private, must-revalidate',
  };
  const body = isJson ? JSON.stringify(answer) : new URLSearchParams(texts(answer)).toString();
  return { status: 200, headers, body };
}

function fieldsIn({ headers, body }: ForgeRequest): URLSearchParams {
  const text = body.toString('utf8');
  if (!headers['content-type']?.startsWith('application/json')) return new URLSearchParams(text);
  try {
    const fields: unknown = JSON.parse(text);
    return new URLSearchParams(isObject(fields) ? texts(fields) : {});
  } catch (error) {
    if (error instanceof SyntaxError) return new URLSearchParams();
    throw error;
  }
}

function texts(fields: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

function answerTo(context: Context, fields: URLSearchParams): Json {
  const { store } = context;
  const app = store.data.apps.find(({ client_id }) => client_id === fields.get('client_id'));
  if (!app || app.client_secret !== fields.get('client_secret'))
    return refusal('incorrect_client_credentials');
  if ((fields.get('grant_type') ?? 'authorization_code') !== 'authorization_code')
    return refusal('unsupported_grant_type');
  const code = takeCode(context, app, fields.get('code') ?? '');
  if (!code || !isVerified(code.code_challenge, fields.get('code_verifier')))
    return refusal('bad_verification_code');
  if ((fields.get('redirect_uri') ?? code.redirect_uri) !== code.redirect_uri)
    return refusal('redirect_uri_mismatch');
  const { token, expires_at } = userToken(context, app, store.account(code.account_id));
  return { access_token: token, ...(expires_at !== null && ends()), scope: '', token_type: 'bearer' };
}

/** What is said of a token that expires; the forge takes no refresh tokens, so this one is for show. */
function ends(): Json {
  const refresh_token = `ghr_${randomBytes(38).toString('hex')}`;
  return { expires_in: 28_800, refresh_token, refresh_token_expires_in: 15_897_600 };
}

/** Without a challenge, a verifier is not looked at. */
function isVerified(challenge: string | null, verifier: string | null): boolean {
  if (challenge === null) return true;
  return (
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url') === challenge
  );
}

const docs = 'https://docs.github.com/apps/managing-oauth-apps';
const troubleshooting = `${docs}/troubleshooting-oauth-app-access-token-request-errors`;

/** GitHub's words. A code that was used, is too old or has another verifier is told like a wrong one. */
const refusals = {
  incorrect_client_credentials: 'The client_id and/or client_secret passed are incorrect.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  bad_verification_code: 'The code passed is incorrect or expired.',
  unsupported_grant_type: 'The grant_type provided is not supported.',
};

function refusal(error: keyof typeof refusals): Json {
  const error_uri = `${troubleshooting}/#${error.replaceAll('_', '-')}`;
  return { error, error_description: refusals[error], error_uri };
}
