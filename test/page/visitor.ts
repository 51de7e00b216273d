import type { PageFixture } from './page-fixture.ts';

/** A person with a session, whose browser follows no redirect by itself. */
export interface Visitor {
  get(path: string): Promise<Response>;
  /** In a list, a field may come several times. */
  post(path: string, fields: Record<string, string> | [string, string][]): Promise<Response>;
}

export async function visitorOf({ url, key }: Pick<PageFixture, 'url' | 'key'>): Promise<Visitor> {
  const first = await fetch(`${url}/?key=${encodeURIComponent(key)}`, { redirect: 'manual' });
  const cookie = first.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const usual = { redirect: 'manual' } as const;
  return {
    get: (path) => fetch(url + path, { ...usual, headers: { cookie } }),
    post: (path, fields) => {
      const body = new URLSearchParams(fields);
      return fetch(url + path, { ...usual, method: 'POST', body, headers: { cookie, origin: url } });
    },
  };
}
