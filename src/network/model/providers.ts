/** Whoever runs models, with our key. */
export interface Provider {
  /** The first segment of the paths at our endpoint. */
  readonly host: string;
  /** How its errors and requests look. */
  readonly dialect: 'anthropic' | 'openai' | 'gemini';
  /** Where the rest of the path is appended; without a slash at the end. */
  readonly upstream: string;
  /** The headers that prove who pays. Empty if nobody needs to. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The key itself; never shown to anybody. */
  readonly secret?: string;
  /** Named by the operator: its paths may begin with anything. */
  readonly added: boolean;
  /** What an agent is given instead of the key and the address. */
  readonly variables: { readonly key?: string; readonly url?: string; readonly path?: string };
}

type Variables = Readonly<Record<string, string | undefined>>;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Anthropic accepts the token of a subscription only together with this. */
const oauthBeta = { 'anthropic-beta': 'oauth-2025-04-20' };
const anthropicToken = (key: string) => ({
  ...bearer(key),
  ...(key.startsWith('sk-ant-oat') ? oauthBeta : {}),
});
const googleKey = (key: string) => ({ 'x-goog-api-key': key });

interface KnownProvider extends Pick<Provider, 'host' | 'dialect'> {
  readonly url: string;
  /** What agents expect behind the address. */
  readonly path: string;
  /** The headers with a key, by its variable; the first that is set counts. */
  readonly keys: Readonly<Record<string, (key: string) => Provider['credentials']>>;
}

/** Where there are several keys for Anthropic, the first counts in the order of Claude Code. */
const knownProviders: readonly KnownProvider[] = [
  {
    host: 'api.anthropic.com',
    dialect: 'anthropic',
    url: 'ANTHROPIC_BASE_URL',
    path: '',
    keys: {
      ANTHROPIC_AUTH_TOKEN: anthropicToken,
      ANTHROPIC_API_KEY: (key) => ({ 'x-api-key': key }),
      CLAUDE_CODE_OAUTH_TOKEN: (key) => ({ ...bearer(key), ...oauthBeta }),
    },
  },
  {
    host: 'api.openai.com',
    dialect: 'openai',
    url: 'OPENAI_BASE_URL',
    path: '/v1',
    keys: { OPENAI_API_KEY: bearer },
  },
  {
    host: 'generativelanguage.googleapis.com',
    dialect: 'gemini',
    url: 'GOOGLE_GEMINI_BASE_URL',
    path: '',
    keys: { GEMINI_API_KEY: googleKey, GOOGLE_API_KEY: googleKey },
  },
];

/** A key, or where to send it, cannot be used; the message names the variable, and never a key. */
export class ModelSettingsError extends Error {
  override name = 'ModelSettingsError';
}

/** `COXSWAIN_MODEL_URL`, a gateway for all; `COXSWAIN_MODEL_HOSTS`, more providers with their keys. */
type Given = Readonly<Partial<Record<'url' | 'hosts', string | undefined>>>;

/**
 * The providers whose keys are in this environment, and those that the operator added. Throws
 * `ModelSettingsError` with everything that is wrong.
 */
export function providersIn(variables: Variables, { url, hosts }: Given): readonly Provider[] {
  const problems: string[] = [];
  const gateway = gatewayIn(url, problems);
  const added = addedProviders(hosts, variables, problems);
  const known = knownProviders.flatMap(({ keys, host, dialect, url, path }): readonly Provider[] => {
    const found = Object.entries(keys).find(([name]) => keyIn(name, variables) !== '');
    if (found === undefined) return [];
    const [key, header] = found;
    const secret = keyIn(key, variables);
    if (!isHeaderValue(secret)) problems.push(notAKey(key));
    const upstream = gateway ?? `https://${host}`;
    return [
      {
        ...{ host, dialect, upstream, secret, added: false },
        ...{ credentials: header(secret), variables: { key, url, path } },
      },
    ];
  });
  if (problems.length > 0) throw new ModelSettingsError(problems.join('\n'));
  return [...known, ...added];
}

function keyIn(name: string, variables: Variables): string {
  return (variables[name] ?? '').trim();
}

/** The variables whose keys there are, and whether there are hosts that the operator added. */
export function keyNamesOf(providers: readonly Provider[]) {
  const names = providers.flatMap(({ variables: { key } }) => key ?? []);
  return { names, hasOthers: providers.some(({ added }) => added) };
}

/** The values that must not appear in any text. */
export function keysOf(providers: readonly Provider[]): readonly string[] {
  return providers.flatMap(({ secret }) => secret ?? []);
}

/** What an agent gets: addresses of ours, and a key that is worth nothing elsewhere. */
export function modelEnvironment(
  providers: readonly Provider[],
  { origin, dummyKey }: { readonly origin: string; readonly dummyKey: string },
): Record<string, string> {
  const pairs = providers.flatMap(({ host, variables: { key, url, path = '' } }) => [
    ...(key === undefined ? [] : [[key, dummyKey] as const]),
    ...(url === undefined ? [] : [[url, `${origin}/${host}${path}`] as const]),
  ]);
  return Object.fromEntries(pairs);
}

const gatewayExpected =
  'expected an address of http or https without a user, a query or a fragment, ' +
  'as in COXSWAIN_MODEL_URL=https://litellm.example.com';

/**
 * Reads `COXSWAIN_MODEL_URL`, without a slash at the end. It may be private and plain HTTP, because the operator
 * says so.
 */
function gatewayIn(text = '', problems: string[]): string | undefined {
  if (text.trim() === '') return undefined;
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url !== undefined && isWeb && isBare) return url.href.replace(/\/+$/, '');
  // A user in an address may be a secret.
  const received = isWeb && !isBare ? 'an address with more than that' : JSON.stringify(text);
  problems.push(`COXSWAIN_MODEL_URL is ${received}: ${gatewayExpected}`);
  return undefined;
}

const hostsExample = 'as in COXSWAIN_MODEL_HOSTS=openrouter.ai=OPENROUTER_API_KEY,models.example.com';
/** A host is written in lower case, with a port unless it is 443. */
const hostForm = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/;
/** A name is in capitals, so that a key that was given instead is not taken for one, and not repeated. */
const variableForm = /^[A-Z_][A-Z0-9_]*$/;

/** Reads `COXSWAIN_MODEL_HOSTS`: `host` or `host=KEY_VARIABLE`, separated by commas. */
function addedProviders(text = '', variables: Variables, problems: string[]): readonly Provider[] {
  const entries = text.split(',').map((entry) => entry.trim());
  const found = entries
    .filter((entry) => entry !== '')
    .flatMap((entry) => {
      const added = addedProvider(entry, variables);
      if (typeof added !== 'string') return [added];
      problems.push(added);
      return [];
    });
  const names = found.map(({ host }) => host);
  for (const name of names.filter((each, index) => names.indexOf(each) < index))
    problems.push(`COXSWAIN_MODEL_HOSTS names ${name} twice: expected each host once, ${hostsExample}`);
  return found;
}

/** The problem, if there is one. */
function addedProvider(entry: string, variables: Variables): Provider | string {
  const [name = '', key, ...more] = entry.split('=').map((part) => part.trim());
  const host = name.toLowerCase();
  if (!hostForm.test(host) || !URL.canParse(`https://${host}`) || more.length > 0)
    return `COXSWAIN_MODEL_HOSTS names ${JSON.stringify(name)}: expected host or host=VARIABLE, without https://, ${hostsExample}`;
  const known = knownProviders.map((each) => each.host);
  if (known.includes(host))
    return `COXSWAIN_MODEL_HOSTS names ${host}: expected hosts besides ${known.join(', ')}, which are reached as soon as their key is set, ${hostsExample}`;
  const provider = { host, dialect: 'openai', upstream: `https://${host}`, added: true } as const;
  if (key === undefined) return { ...provider, credentials: {}, variables: {} };
  if (!variableForm.test(key))
    return `COXSWAIN_MODEL_HOSTS names no variable for ${host}: expected the name of the one that holds the key, not the key, ${hostsExample}`;
  const secret = keyIn(key, variables);
  if (secret === '')
    return `COXSWAIN_MODEL_HOSTS names ${key}, which is not set: expected the key for ${host} in it, ${hostsExample}`;
  if (!isHeaderValue(secret)) return notAKey(key);
  return { ...provider, secret, credentials: bearer(secret), variables: { key } };
}

/** Whether a key can be sent at all. */
function isHeaderValue(key: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(key);
}

/** Says nothing of its value. */
function notAKey(name: string): string {
  return `${name} is not a key: expected one word of letters, digits and signs; received spaces, line breaks or other characters in it. Copy it again from your provider, as in ${name}=sk-…`;
}
