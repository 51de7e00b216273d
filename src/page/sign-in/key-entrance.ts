import { createHmac } from 'node:crypto';
import { html } from '../../html/html.ts';
import { cookiesNamed, isSameSecret } from '../../http/incoming-request.ts';
import { matchRoute, pathOf } from '../load/page-routes.ts';
import type { Entrance, Reply } from './entrance.ts';

interface KeyEntranceOptions {
  /** Gives access to the page, as `/?key=<key>`; must be hard to guess. */
  readonly key: string;
  /** Of the one person for whom everything is done here. */
  readonly token: string;
  /** The address of the page; called for each request. */
  readonly origin: () => string;
}

/**
 * Lets whoever has the key act as one person, on that person's own machine. The session is derived from the
 * key, so it survives a restart that keeps the key.
 */
export function keyEntrance({ key, token, origin }: KeyEntranceOptions): Entrance {
  if (key === '') throw new Error('could not guard the page: its key is empty');
  const session = createHmac('sha256', key).update('coxswain page session').digest('hex');
  // All ports of a host share cookies, so two Apps need two names.
  const name = () => `coxswain_${new URL(origin()).port || 'session'}`;
  const cookie = () => {
    const secure = new URL(origin()).protocol === 'https:' ? '; Secure' : '';
    return `${name()}=${session}; HttpOnly; SameSite=Strict; Path=/${secure}`;
  };
  return {
    paths: [],
    wayOut: null,
    answer: async ({ method }, { pathname, searchParams }) => {
      const given = searchParams.get('key');
      const route = matchRoute(pathname)?.route;
      if (given === null || route === undefined || method !== 'GET' || !isSameSecret(given, key))
        return undefined;
      return { leadsTo: pathOf(route), headers: { 'set-cookie': cookie() } };
    },
    admit: (headers) =>
      cookiesNamed(headers, name()).some((value) => isSameSecret(value, session)) ? { token } : undefined,
    // A browser sends no cookie when another site links here, so the link leads to the same page.
    wayIn: (_request, { pathname }, isOver) =>
      isOver
        ? tokenRefused
        : {
            status: 401,
            title: 'You are not signed in',
            content: html`<p>Open the address that Coxswain printed when it started: it contains the key.</p>
<p>If you have done so before and followed a link from another site, <a href="${pathname}">continue to the page</a>.</p>`,
          },
  };
}

const tokenRefused: Reply = {
  status: 502,
  title: 'GitHub does not accept the token of this page',
  content: html`<p>Start Coxswain again with another <code>COXSWAIN_PAGE_TOKEN</code>.</p>`,
};
