import type { IncomingHttpHeaders } from 'node:http';
import { type Fixture, startFixture } from './fixture.ts';

export interface WebsiteFixture extends Fixture {
  /** Whom the pages act for from now on. */
  visitor: { login: string };
  /** Reads a page as a browser does that has signed in. */
  get(path: string, headers?: Record<string, string>): Promise<WebPage>;
  /** Sends a form of the page at this path. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<WebPage>;
}

export interface WebPage {
  status: number;
  headers: Headers;
  text: string;
  /** Where a form leads, without the forge's address. */
  location: string;
}

/** The cookie that the pages ask for. */
export const session = 'session=open';

/** A forge with its website, which acts for `ada` at first. */
export async function startWebsite(): Promise<WebsiteFixture> {
  const visitor = { login: 'ada' };
  const fixture = await startFixture({
    website: {
      get login() {
        return visitor.login;
      },
      admits: (headers: IncomingHttpHeaders) => headers.cookie === session,
      beside: (path) => (path.includes('/pull/') ? { url: 'http://run.test/', text: 'The run' } : undefined),
    },
  });
  const { url } = fixture.forge;
  const accept = 'text/html,application/xhtml+xml';
  const send = async (path: string, init: RequestInit): Promise<WebPage> => {
    const response = await fetch(url + path, { redirect: 'manual', ...init });
    const { status, headers } = response;
    const location = headers.get('location') ?? '';
    return { status, headers, text: await response.text(), location };
  };
  return {
    ...fixture,
    visitor,
    get: (path, headers = {}) => send(path, { headers: { accept, cookie: session, ...headers } }),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { accept, cookie: session, origin: url, ...headers },
      }),
  };
}
