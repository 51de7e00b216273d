/** How a provider's errors and requests look. */
export type Dialect = 'anthropic' | 'openai' | 'gemini';

/** Whoever runs models, with our key. */
export interface Provider {
  /** The first segment of the paths at our endpoint. */
  readonly host: string;
  readonly dialect: Dialect;
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

/** A key in the environment, by the first variable that is set. */
interface KeyVariable {
  readonly name: string;
  header(key: string): Readonly<Record<string, string>>;
}

interface KnownProvider {
  readonly host: string;
  readonly dialect: Dialect;
  readonly url: string;
  /** What agents expect behind the address. */
  readonly path: string;
  readonly keys: readonly KeyVariable[];
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Anthropic accepts the token of a subscription only together with this. */
const oauthBeta = { 'anthropic-beta': 'oauth-2025-04-20' };
const anthropicToken = (key: string) => ({
  ...bearer(key),
  ...(key.startsWith('sk-ant-oat') ? oauthBeta : {}),
});

/** Of several keys the first counts: for Anthropic in the order of Claude Code. */
const knownProviders: readonly KnownProvider[] = [
  {
    host: 'api.anthropic.com',
    dialect: 'anthropic',
    url: 'ANTHROPIC_BASE_URL',
    path: '',
    keys: [
      { name: 'ANTHROPIC_AUTH_TOKEN', header: anthropicToken },
      { name: 'ANTHROPIC_API_KEY', header: (key) => ({ 'x-api-key': key }) },
      { name: 'CLAUDE_CODE_OAUTH_TOKEN', header: (key) => ({ ...bearer(key), ...oauthBeta }) },
    ],
  },
  {
    host: 'api.openai.com',
    dialect: 'openai',
    url: 'OPENAI_BASE_URL',
    path: '/v1',
    keys: [{ name: 'OPENAI_API_KEY', header: bearer }],
  },
  {
    host: 'generativelanguage.googleapis.com',
    dialect: 'gemini',
    url: 'GOOGLE_GEMINI_BASE_URL',
    path: '',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'].map((name) => ({
      name,
      header: (key) => ({ 'x-goog-api-key': key }),
    })),
  },
];

/** A key, or where to send it, cannot be used; the message names the variable, and never a key. */
export class ModelSettingsError extends Error {
  override name = 'ModelSettingsError';
}

export interface ProviderSettings {
  /** `COXSWAIN_MODEL_URL`: a gateway for all known providers. */
  readonly url?: string | undefined;
  /** `COXSWAIN_MODEL_HOSTS`: more providers, with the variables of their keys. */
  readonly hosts?: string | undefined;
}

/**
 * The providers whose keys are in this environment, and those that the operator added. Throws
 * `ModelSettingsError` with everything that is wrong.
 */
export function providersIn(variables: Variables, { url, hosts }: ProviderSettings): readonly Provider[] {
  const gateway = gatewayIn(url);
  const added = hostsIn(hosts, { variables, known: knownProviders.map(({ host }) => host) });
  const found = knownProviders.flatMap((known) => withKey(known, variables));
  const problems = [...gateway.problems, ...added.problems, ...found.flatMap(({ problem }) => problem ?? [])];
  if (problems.length > 0) throw new ModelSettingsError(problems.join('\n'));
  const own = found.map(({ provider }) => ({ ...provider, upstream: gateway.url ?? provider.upstream }));
  return [...own, ...added.hosts.map(addedProvider)];
}

/** The variables whose keys there are, and whether there are hosts that the operator added. */
export function keyNamesOf(providers: readonly Provider[]): {
  readonly names: readonly string[];
  readonly hasOthers: boolean;
} {
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

interface Found {
  readonly provider: Provider;
  readonly problem?: string;
}

function withKey({ keys, host, dialect, url, path }: KnownProvider, variables: Variables): readonly Found[] {
  const set = keys.find(({ name }) => (variables[name] ?? '').trim() !== '');
  if (set === undefined) return [];
  const secret = (variables[set.name] ?? '').trim();
  const provider: Provider = {
    host,
    dialect,
    upstream: `https://${host}`,
    credentials: set.header(secret),
    secret,
    added: false,
    variables: { key: set.name, url, path },
  };
  return [isHeaderValue(secret) ? { provider } : { provider, problem: notAKey(set.name) }];
}

function addedProvider({ host, key }: { host: string; key?: { name: string; value: string } }): Provider {
  return {
    host,
    dialect: 'openai',
    upstream: `https://${host}`,
    credentials: key === undefined ? {} : bearer(key.value),
    ...(key === undefined ? {} : { secret: key.value }),
    added: true,
    variables: key === undefined ? {} : { key: key.name },
  };
}

/** A gateway, or what is wrong with its address. */
export interface Gateway {
  /** Without a slash at the end. */
  readonly url?: string;
  readonly problems: readonly string[];
}

const gatewayExpected =
  'expected an address of http or https without a user, a query or a fragment, ' +
  'as in COXSWAIN_MODEL_URL=https://litellm.example.com';

/** Reads `COXSWAIN_MODEL_URL`. It may be private and plain HTTP, because the operator says so. */
export function gatewayIn(text = ''): Gateway {
  if (text.trim() === '') return { problems: [] };
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  const isBare = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url !== undefined && isWeb && isBare) return { url: url.href.replace(/\/+$/, ''), problems: [] };
  // A user in an address may be a secret.
  const received = isWeb && !isBare ? 'an address with more than that' : JSON.stringify(text);
  return { problems: [`COXSWAIN_MODEL_URL is ${received}: ${gatewayExpected}`] };
}

export interface AddedHost {
  /** With a port unless it is 443; in lower case. */
  readonly host: string;
  readonly key?: { readonly name: string; readonly value: string };
}

const hostsExample = 'as in COXSWAIN_MODEL_HOSTS=openrouter.ai=OPENROUTER_API_KEY,models.example.com';
const hostForm = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?$/;
/** In capitals, so that a key that was given instead is not taken for a name, and not repeated. */
const variableForm = /^[A-Z_][A-Z0-9_]*$/;

interface Context {
  readonly variables: Variables;
  /** The hosts that need not be added. */
  readonly known: readonly string[];
}

/** Reads `COXSWAIN_MODEL_HOSTS`: `host` or `host=KEY_VARIABLE`, separated by commas. */
export function hostsIn(
  text = '',
  context: Context,
): { readonly hosts: readonly AddedHost[]; readonly problems: readonly string[] } {
  const entries = text.split(',').map((entry) => entry.trim());
  const read = entries.filter((entry) => entry !== '').map((entry) => readEntry(entry, context));
  const hosts = read.flatMap((each) => (typeof each === 'string' ? [] : [each]));
  const names = hosts.map(({ host }) => host);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  const problems = [
    ...read.filter((each) => typeof each === 'string'),
    ...twice.map(
      (name) => `COXSWAIN_MODEL_HOSTS names ${name} twice: expected each host once, ${hostsExample}`,
    ),
  ];
  return { hosts, problems };
}

/** The problem, if there is one. */
function readEntry(entry: string, { variables, known }: Context): AddedHost | string {
  const [name = '', variable, ...more] = entry.split('=').map((part) => part.trim());
  const host = name.toLowerCase();
  if (!hostForm.test(host) || !URL.canParse(`https://${host}`) || more.length > 0) {
    return `COXSWAIN_MODEL_HOSTS names ${JSON.stringify(name)}: expected host or host=VARIABLE, without https://, ${hostsExample}`;
  }
  if (known.includes(host)) {
    return `COXSWAIN_MODEL_HOSTS names ${host}: expected hosts besides ${known.join(', ')}, which are reached as soon as their key is set, ${hostsExample}`;
  }
  if (variable === undefined) return { host };
  if (!variableForm.test(variable)) {
    return `COXSWAIN_MODEL_HOSTS names no variable for ${host}: expected the name of the one that holds the key, not the key, ${hostsExample}`;
  }
  const value = (variables[variable] ?? '').trim();
  if (value === '') {
    return `COXSWAIN_MODEL_HOSTS names ${variable}, which is not set: expected the key for ${host} in it, ${hostsExample}`;
  }
  return isHeaderValue(value) ? { host, key: { name: variable, value } } : notAKey(variable);
}

/** Whether a key can be sent at all. */
export function isHeaderValue(key: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(key);
}

/** Says nothing of its value. */
export function notAKey(name: string): string {
  return `${name} is not a key: expected one word of letters, digits and signs; received spaces, line breaks or other characters in it. Copy it again from your provider, as in ${name}=sk-…`;
}
