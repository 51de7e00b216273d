type Variables = Readonly<Record<string, string | undefined>>;

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
