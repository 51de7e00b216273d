import type { IncomingHttpHeaders } from 'node:http';
import { securityHeaders } from '../../../../src/html/response.ts';
import type { Context } from '../context.ts';
import type { Account, App } from '../model.ts';
import type { ForgeRequest, ForgeResponse } from '../requests.ts';
import { HttpError, notFound } from '../responses.ts';
import { avatar, form, html } from '../website/html.ts';
import { documentOf } from '../website/layout.ts';
import { messageOf, problemPage } from '../website/pages/problem.ts';
import { documentResponse } from '../website/response.ts';
import type { Page } from '../website/visit.ts';
import { formIn, requireVisitor } from '../website/website.ts';
import { grant, isGranted, newCode } from './grants.ts';

interface Parts {
  context: Context;
  admits(headers: IncomingHttpHeaders): boolean;
}

/** What an App asks the person whose browser it has sent here. */
interface Asked {
  context: Context;
  app: App;
  query: URLSearchParams;
  /** Where the person goes back to. */
  redirect_uri: string;
}

/** `/login/oauth/authorize`: lets an App act as somebody, and sends them back with a code. */
export function answerAuthorization(
  { context, admits }: Parts,
  request: ForgeRequest,
  url: URL,
): ForgeResponse {
  try {
    requireVisitor(request, { url: context.url, admits });
    return answer(context, request, url.searchParams);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const page = problemPage(error.status, messageOf(error));
    return documentResponse(error.status, documentOf(page, { path }));
  }
}

const path = '/login/oauth/authorize';

function answer(context: Context, request: ForgeRequest, query: URLSearchParams): ForgeResponse {
  const app = context.store.data.apps.find(({ client_id }) => client_id === query.get('client_id'));
  if (!app) throw notFound();
  const [registered] = app.callback_urls;
  if (registered === undefined) throw new HttpError(422, `${app.name} has no callback URL.`);
  const wanted = query.get('redirect_uri') ?? registered;
  const isRegistered = app.callback_urls.some((callback) => isSameCallback(callback, wanted));
  const asked = { context, app, query, redirect_uri: isRegistered ? wanted : registered };
  if (!isRegistered) return refused(asked, 'redirect_uri_mismatch');
  if (!isChallengeGood(query)) return refused(asked, 'invalid_request');
  if (request.method === 'POST') return decided(asked, formIn(request));
  const { signedIn } = context;
  const isKnown = signedIn !== null && !query.has('prompt') && isGranted(context, app, signedIn);
  return isKnown ? accepted(asked, signedIn) : consentPage(asked);
}

/** Exactly the same, but for the port of loopback, which programs take as it comes. */
function isSameCallback(registered: string, wanted: string): boolean {
  if (registered === wanted) return true;
  if (!URL.canParse(registered) || !URL.canParse(wanted)) return false;
  const [left, right] = [new URL(registered), new URL(wanted)];
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(left.hostname)) return false;
  right.port = left.port;
  return left.href === right.href;
}

/** PKCE is for those who want it, but then it has to be SHA-256, whose challenges have 43 characters. */
function isChallengeGood(query: URLSearchParams): boolean {
  const challenge = query.get('code_challenge');
  const method = query.get('code_challenge_method');
  if (challenge === null) return method === null;
  return method === 'S256' && challenge.length === 43;
}

function decided(asked: Asked, sent: URLSearchParams): ForgeResponse {
  if (sent.get('do') === 'cancel') return refused(asked, 'access_denied');
  const person = choices(asked).find(({ login }) => login === sent.get('login'));
  if (sent.get('do') !== 'authorize' || !person) throw new HttpError(422, 'This page has no such form.');
  grant(asked.context, asked.app, person);
  return accepted(asked, person);
}

/** Who may be meant: whoever is signed in, or everybody if nobody is or the App wants a choice. */
function choices({ context, query }: Asked): Account[] {
  const { signedIn, store } = context;
  if (signedIn !== null && query.get('prompt') !== 'select_account') return [signedIn];
  return store.data.accounts.filter(({ type }) => type === 'User');
}

function accepted(asked: Asked, person: Account): ForgeResponse {
  const { context, app, query, redirect_uri } = asked;
  const code_challenge = query.get('code_challenge');
  return sentBack(asked, { code: newCode(context, { app, person }, { redirect_uri, code_challenge }) });
}

const docs = 'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-authorization-request-errors';

/** GitHub's words, but for `invalid_request`, whose are not known. */
const refusals = {
  access_denied: 'The user has denied your application access.',
  redirect_uri_mismatch: 'The redirect_uri MUST match the registered callback URL for this application.',
  invalid_request: 'The code_challenge must be an S256 challenge of 43 characters.',
};

function refused(asked: Asked, error: keyof typeof refusals): ForgeResponse {
  const error_uri = `${docs}/#${error.replaceAll('_', '-')}`;
  return sentBack(asked, { error, error_description: refusals[error], error_uri });
}

function sentBack({ context, query, redirect_uri }: Asked, facts: Record<string, string>): ForgeResponse {
  const state = query.get('state');
  const location = new URL(redirect_uri);
  const all = {
    ...facts,
    ...(context.faults.namesIssuer && { iss: `${context.url}/login/oauth` }),
    ...(state !== null && { state }),
  };
  for (const [name, value] of Object.entries(all)) location.searchParams.set(name, value);
  const headers = { ...securityHeaders, location: location.href, 'cache-control': 'no-store' };
  return { status: 302, headers, body: '' };
}

function consentPage(asked: Asked): ForgeResponse {
  const response = documentResponse(200, documentOf(consent(asked), { path }));
  // Browsers also ask the policy where a form's answer may lead, and this one leads back to the App.
  const policy = securityHeaders['content-security-policy'].replace(
    "form-action 'self'",
    `form-action 'self' ${new URL(asked.redirect_uri).origin}`,
  );
  return { ...response, headers: { ...response.headers, 'content-security-policy': policy } };
}

function consent(asked: Asked): Page {
  const { app, query, redirect_uri } = asked;
  const visit = { path, query };
  const buttons = choices(asked).map(
    (person) => html`<li>${avatar(person)} <button class="primary" name="login" value="${person.login}">
Authorize as ${person.login}</button></li>`,
  );
  const none = html`<p class="notice">The forge has no people.</p>`;
  const main = html`<h1>Authorize ${app.name}</h1>
<p>${app.name} wants to know who you are, and to act as you where it is installed.</p>
${buttons.length === 0 ? none : form(visit, { does: 'authorize' }, html`<ul class="plain rows">${buttons}</ul>`)}
${form(visit, { does: 'cancel' }, html`<button>Cancel</button>`)}
<p class="muted">Either leads back to ${new URL(redirect_uri).origin}.</p>`;
  return { title: `Authorize ${app.name}`, main };
}
