type Variables = Readonly<Record<string, string | undefined>>;

/** The API of a GitHub, and a token that somebody has set for it. */
export interface OwnAccess {
  readonly baseUrl: string;
  readonly token: string;
}

/** The variables of a person's token; as for `gh`, those for github.com are never sent to another host. */
export function tokenVariables(web: string): readonly [string, string] {
  return web === 'https://github.com'
    ? ['GH_TOKEN', 'GITHUB_TOKEN']
    : ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
}

/** How to ask a GitHub as the person who runs this; undefined if they have set no token for it. */
export function ownAccess(web: string, variables: Variables): OwnAccess | undefined {
  const token = tokenVariables(web)
    .map((name) => variables[name] ?? '')
    .find((value) => value !== '');
  if (token === undefined) return undefined;
  return { token, baseUrl: web === 'https://github.com' ? 'https://api.github.com' : `${web}/api/v3` };
}

/** The GitHub that `GH_HOST` names, github.com by default. */
export function webFrom({ GH_HOST: host }: Variables): string {
  if (host === undefined || host === '') return 'https://github.com';
  return /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host) ? `http://${host}` : `https://${host}`;
}
