import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { digestOf } from '../../doors/callers/identity.ts';
import type { Log } from '../../github/octokit/connect.ts';
import { html } from '../../html/html.ts';
import { cookiesNamed, isOurOrigin } from '../../http/incoming-request.ts';
import { messageOf } from '../../repository/faults.ts';
import type { SecretBox } from '../../seal/secret-box.ts';
import type { Account } from '../../steering/shapes/people.ts';
import { returnPath, signInCallback } from '../load/page-routes.ts';
import { type Entrance, foreignForm, onlyTakes, type Reply } from './entrance.ts';
import type { OAuthFlow, SignInAttempt } from './oauth.ts';
import { cookieAttributes, cookieName, type Session, SessionCookie, sessionMs } from './session.ts';
import { notBegunHere, SignInFault, signInFaultFrom } from './sign-in-fault.ts';

interface GitHubEntranceOptions {
  readonly flow: OAuthFlow;
  readonly box: SecretBox;
  /** The address of the page; called for each request. */
  readonly origin: () => string;
  /** Whose token it is. */
  readonly identify: (token: string) => Promise<Account>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

const paths = { signIn: '/sign-in', callback: signInCallback, signOut: '/sign-out' } as const;

/**
 * People sign in with GitHub and are themselves. Nothing is stored: what has to be kept is in their browsers.
 */
export class GitHubEntrance implements Entrance {
  readonly paths = Object.values(paths);
  readonly wayOut = paths.signOut;
  readonly #options: GitHubEntranceOptions;
  readonly #cookie: SessionCookie;
  readonly #attempts: SignInAttempts;
  /**
   * When a token was left, or all those of a person: sessions that began before no longer count. In
   * milliseconds since 1970, by the token's digest or the person's number.
   */
  readonly #ended = new LRUCache<string | number, number>({ max: 10_000, ttl: sessionMs });

  /** What the log says already, for a browser can claim without end that GitHub has said it. */
  readonly #logged = new Set<string>();

  constructor(options: GitHubEntranceOptions) {
    this.#options = options;
    this.#cookie = new SessionCookie(options.box, options.origin);
    this.#attempts = new SignInAttempts(options);
  }

  admit(headers: IncomingHttpHeaders) {
    const session = this.#session(headers);
    if (session === undefined || session === 'over') return undefined;
    return { token: session.token, account: { id: session.id, login: session.login } };
  }

  /** Sessions of this person that have begun by now no longer count. */
  revoke(userId: number): void {
    this.#ended.set(userId, this.#options.now());
  }

  /** Whoever was signed in is signed in again without being asked, unless GitHub wants to ask. */
  wayIn(request: IncomingMessage, url: URL, isOver: boolean): Reply {
    const to = returnPath(`${url.pathname}${url.search}`);
    // Scripts that want a part of a page, or its events, do not go elsewhere.
    const isVisit = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    const link = linkTo(to);
    if (isOver)
      return {
        ...signInPage('You are no longer signed in', 'GitHub no longer accepts your session.', link),
        headers: { 'set-cookie': this.#cookie.end() },
      };
    if (isVisit && this.#session(request.headers) === 'over') return { leadsTo: link };
    const why = 'Coxswain shows what you may read on GitHub, and posts what you say here as you.';
    return signInPage('You are not signed in', why, link);
  }

  async answer(request: IncomingMessage, url: URL): Promise<Reply | undefined> {
    if (url.pathname === paths.signOut) return this.#leave(request);
    if (url.pathname !== paths.signIn && url.pathname !== paths.callback) return undefined;
    if (request.method !== 'GET') return onlyTakes('GET');
    return url.pathname === paths.signIn
      ? this.#begin(request, returnPath(url.searchParams.get('to') ?? '/'))
      : this.#finish(request, url.searchParams);
  }

  #begin({ headers }: IncomingMessage, to: string): Reply {
    if (this.admit(headers) !== undefined) return { leadsTo: to };
    const { attempt, cookie } = this.#attempts.begin(headers, to);
    return { leadsTo: this.#options.flow.authorizeUrl(attempt), headers: { 'set-cookie': cookie } };
  }

  async #finish(request: IncomingMessage, answer: URLSearchParams): Promise<Reply> {
    const { headers } = request;
    const state = answer.get('state');
    // So GitHub sends people who have just installed the App, where that asks them to sign in too.
    if (state === null && answer.has('code')) return this.#begin(request, '/');
    const attempt = this.#attempts.find(headers, state ?? '');
    try {
      if (attempt === undefined) throw new SignInFault(notBegunHere);
      const session = await this.#sessionFrom(answer, attempt);
      this.#logged.clear();
      return { leadsTo: attempt.to, headers: { 'set-cookie': this.#cookie.begin(session) } };
    } catch (fault) {
      // The page was loaded again, or another tab was faster.
      if (attempt !== undefined && this.admit(headers) !== undefined) return { leadsTo: attempt.to };
      return this.#refused(fault, attempt?.to ?? '/');
    }
  }

  async #sessionFrom(answer: URLSearchParams, attempt: SignInAttempt): Promise<Session> {
    const { flow, identify, now } = this.#options;
    const { token, expiresIn = Number.POSITIVE_INFINITY } = await flow.exchange(answer, attempt);
    const { id, login } = await identify(token);
    // Our clock may have been set back since an end of all sessions, which does not mean this one.
    const began = Math.max(now(), (this.#ended.get(id) ?? 0) + 1);
    return { id, login, token, began, ends: began + Math.min(sessionMs, expiresIn * 1000) };
  }

  #refused(fault: unknown, to: string): Reply {
    const { status, message, isOperators } = signInFaultFrom(fault);
    if (isOperators && !this.#logged.has(message))
      this.#options.log.error(`nobody can sign in to the page: ${message}`);
    if (isOperators) this.#logged.add(message);
    if (!(fault instanceof SignInFault))
      this.#options.log.warn(`could not sign somebody in: ${messageOf(fault)}`);
    return { ...signInPage('Not signed in', message, linkTo(to)), status };
  }

  async #leave(request: IncomingMessage): Promise<Reply> {
    // Other sites' forms come without our cookies, and would still have the answer end the session.
    if (request.method === 'POST' && !isOurOrigin(request, this.#options.origin())) return foreignForm;
    const session = this.#session(request.headers);
    if (session === undefined || session === 'over') return this.#left();
    if (request.method !== 'POST') return signOutPage(session);
    const isEverywhere = new URL(request.url ?? '', 'http://page').searchParams.has('everywhere');
    try {
      await this.#options.flow.revoke(session.token, isEverywhere ? 'grant' : 'token');
    } catch (fault) {
      this.#options.log.warn(`could not end a session at GitHub: ${messageOf(fault)}`);
      if (isEverywhere) return notRevoked;
    }
    this.#ended.set(isEverywhere ? session.id : digestOf(session.token), this.#options.now());
    return this.#left();
  }

  #left(): Reply {
    const page = signInPage('You are signed out', 'In this browser nobody is signed in.', linkTo('/'));
    return { ...page, status: 200, headers: { 'set-cookie': this.#cookie.end() } };
  }

  #session(headers: IncomingHttpHeaders): Session | 'over' | undefined {
    const session = this.#cookie.read(headers, this.#options.now());
    if (session === undefined || session === 'over') return session;
    const ends = [session.id, digestOf(session.token)].map((key) => this.#ended.get(key) ?? 0);
    return session.began > Math.max(...ends) ? session : undefined;
  }
}

const attemptShape = z.strictObject({ to: z.string(), at: z.int() });

/** In milliseconds; GitHub's codes last as long. */
const attemptMs = 10 * 60 * 1000;

/**
 * The attempts of a browser to sign in, in several tabs too. The browser keeps one secret. An attempt's
 * state is encrypted for whoever has that secret, and the verifier is derived from both.
 */
class SignInAttempts {
  readonly #options: Pick<GitHubEntranceOptions, 'box' | 'origin' | 'now'>;

  constructor(options: Pick<GitHubEntranceOptions, 'box' | 'origin' | 'now'>) {
    this.#options = options;
  }

  begin(headers: IncomingHttpHeaders, to: string) {
    const { box, origin, now } = this.#options;
    const secret = this.#secretIn(headers) ?? randomBytes(32).toString('base64url');
    const state = box.close(purposeFor(secret), JSON.stringify({ to, at: now() }));
    const name = cookieName('attempt', origin());
    return {
      attempt: this.#attempt(secret, state),
      cookie: `${name}=${secret}; ${cookieAttributes}; Max-Age=${attemptMs / 1000}`,
    };
  }

  /** The attempt that this browser began with this state; undefined if it did not, or too long ago. */
  find(headers: IncomingHttpHeaders, state: string) {
    const secret = this.#secretIn(headers);
    if (secret === undefined) return undefined;
    const text = this.#options.box.open(purposeFor(secret), state);
    if (text === undefined) return undefined;
    const { to, at } = attemptShape.parse(JSON.parse(text));
    return this.#options.now() - at > attemptMs ? undefined : { ...this.#attempt(secret, state), to };
  }

  #attempt(secret: string, state: string): SignInAttempt {
    const verifier = createHmac('sha256', secret).update(state).digest('base64url');
    return { state, verifier, redirectUri: new URL(paths.callback, this.#options.origin()).href };
  }

  #secretIn(headers: IncomingHttpHeaders): string | undefined {
    const name = cookieName('attempt', this.#options.origin());
    return cookiesNamed(headers, name).find((value) => /^[\w-]{43}$/.test(value));
  }
}

function purposeFor(secret: string): string {
  return `sign-in ${createHash('sha256').update(secret).digest('hex')}`;
}

function linkTo(to: string): string {
  return to === '/' ? paths.signIn : `${paths.signIn}?${new URLSearchParams({ to })}`;
}

function signInPage(title: string, why: string, link: string) {
  const content = html`<p>${why}</p><p><a class="button primary" href="${link}">Sign in with GitHub</a></p>`;
  return { status: 401, title, content };
}

function signOutPage({ login }: Session): Reply {
  return {
    status: 200,
    title: 'Sign out',
    content: html`<p>You are signed in as <b>${login}</b>.</p>
<form method="post" action="${paths.signOut}"><button class="primary">Sign out here</button></form>
<form method="post" action="${paths.signOut}?everywhere"><button>Sign out everywhere</button></form>
<p>Everywhere means in all browsers: GitHub forgets that you have authorized Coxswain, and asks you again the
next time.</p>
<p><a href="/">Back to the inbox</a></p>`,
  };
}

const notRevoked: Reply = {
  status: 503,
  title: 'You are still signed in',
  content: html`<p>GitHub could not be told to forget your sessions, so none of them has ended: try again in a
moment, or revoke Coxswain among the authorized GitHub Apps in your settings at GitHub.</p>`,
};
