import type { Provider } from './providers.ts';

/** The formats of requests that make a model think. */
export type Format = 'messages' | 'responses' | 'chat' | 'gemini';

/** What a request asks for. */
export type Route =
  /** Makes a model think. */
  | {
      readonly kind: 'inference';
      readonly format: Format;
      readonly model?: string;
    }
  /** Counts tokens, which costs nothing. */
  | { readonly kind: 'count'; readonly format: Format }
  /** Lists models, or describes one. */
  | { readonly kind: 'models' };

/** A request's address at our endpoint. */
export interface Target {
  readonly host: string;
  /** From the slash behind the host. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Only the characters of the paths that pass: nothing is encoded, no segment is empty or made of dots, so
 * that a path means the same to a provider as to us.
 */
const segment = String.raw`\/(?!\.{1,2}(?:\/|$|\?))[A-Za-z0-9._~:@-]+`;
const form = new RegExp(
  String.raw`^\/(?<host>[a-z0-9.-]+(?::[0-9]+)?)(?<path>(?:${segment})+)(?:\?(?<query>[^#]*))?$`,
);

/** Undefined if the address has another form. */
export function targetOf(url = ''): Target | undefined {
  const { host, path, query } = form.exec(url)?.groups ?? {};
  return host === undefined || path === undefined
    ? undefined
    : { host, path, query: new URLSearchParams(query) };
}

interface Rule {
  readonly path: RegExp;
  readonly method: 'GET' | 'POST';
  route(match: RegExpExecArray): Route;
}

function listing(path: RegExp): Rule {
  return { path, method: 'GET', route: () => ({ kind: 'models' }) };
}

function inference(format: Format, path: RegExp): Rule {
  return { path, method: 'POST', route: () => ({ kind: 'inference', format }) };
}

function counting(format: Format, path: RegExp): Rule {
  return { path, method: 'POST', route: () => ({ kind: 'count', format }) };
}

/**
 * Right behind the version, or where there is none at the top: anything else may be called `models` too, such as
 * a file. Some have a model below the name of its author.
 */
const addedModels =
  /^(?:(?:\/(?!v\d)[^/]+){0,5}\/v\d\w*)?(?:\/openai)?\/models(?:\/[^/]+){0,2}(?:\/endpoints)?$/;

const rules: Readonly<Record<Provider['dialect'] | 'added', readonly Rule[]>> = {
  anthropic: [
    inference('messages', /^\/v1\/messages$/),
    counting('messages', /^\/v1\/messages\/count_tokens$/),
    listing(/^\/v1\/models(?:\/[^/]+)?$/),
  ],
  openai: [
    inference('responses', /^\/v1\/responses$/),
    inference('chat', /^\/v1\/chat\/completions$/),
    listing(/^\/v1\/models(?:\/[^/]+)?$/),
  ],
  gemini: [
    {
      path: /^\/v1(?:beta)?\/models\/([^/:]+):(?:generateContent|streamGenerateContent)$/,
      method: 'POST',
      route: ([, model = '']) => ({ kind: 'inference', format: 'gemini', model }),
    },
    counting('gemini', /^\/v1(?:beta)?\/models\/[^/:]+:countTokens$/),
    listing(/^\/v1(?:beta)?\/models(?:\/[^/:]+)?$/),
  ],
  added: [
    inference('responses', /^(?:\/[^/]+){0,6}\/responses$/),
    inference('chat', /^(?:\/[^/]+){0,6}\/chat\/completions$/),
    listing(addedModels),
  ],
};

/** Undefined if requests of this kind do not pass. */
export function routeOf(
  provider: Provider,
  { method, path }: { method: string; path: string },
): Route | undefined {
  for (const rule of rules[provider.added ? 'added' : provider.dialect]) {
    const match = rule.method === method ? rule.path.exec(path) : null;
    if (match !== null) return rule.route(match);
  }
  return undefined;
}

/** The parameters that pass, with their values: others could change what is counted, or name another key. */
const parameters = new Map<string, RegExp>(
  Object.entries({
    beta: /^(?:true|false)$/,
    alt: /^(?:sse|json)$/,
    limit: /^[0-9]{1,6}$/,
    after_id: /^[\w.-]{1,200}$/,
    before_id: /^[\w.-]{1,200}$/,
    pageSize: /^[0-9]{1,6}$/,
    pageToken: /^[\w=-]{1,400}$/,
  }),
);

/** What is sent on of a query, with its question mark. `key`, where Gemini's clients put theirs, is ours. */
export function queryOf({ query }: Target): string | { readonly refused: string } {
  const rest = [...query].filter(([name]) => name !== 'key');
  const refused = rest.find(([name, value]) => parameters.get(name)?.test(value) !== true);
  if (refused !== undefined) return { refused: refused[0].slice(0, 60) };
  const kept = new URLSearchParams(rest);
  return kept.size === 0 ? '' : `?${kept}`;
}
