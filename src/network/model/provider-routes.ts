import type { Provider } from './providers.ts';
import { Refused } from './refusal.ts';

/** The formats of requests that make a model think. */
export type Format = 'messages' | 'responses' | 'chat' | 'gemini';

/** What a request asks for: to make a model think, to count tokens, or to list models or describe one. */
export type Route =
  | { readonly kind: 'inference' | 'count'; readonly format: Format; readonly model?: string | undefined }
  | { readonly kind: 'models' };

/** A request's address at our endpoint. */
export interface Target {
  readonly host: string;
  /** It begins with the slash behind the host. */
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

/** A path with a group `model` names one. Only a list is asked for by GET. */
type Rule = Route & { readonly path: RegExp };

/**
 * Right behind the version, or where there is none at the top: anything else may be called `models` too, such as
 * a file. Some have a model below the name of its author.
 */
const addedModels =
  /^(?:(?:\/(?!v\d)[^/]+){0,5}\/v\d\w*)?(?:\/openai)?\/models(?:\/[^/]+){0,2}(?:\/endpoints)?$/;

const rules: Readonly<Record<Provider['dialect'] | 'added', readonly Rule[]>> = {
  anthropic: [
    { kind: 'inference', format: 'messages', path: /^\/v1\/messages$/ },
    { kind: 'count', format: 'messages', path: /^\/v1\/messages\/count_tokens$/ },
    { kind: 'models', path: /^\/v1\/models(?:\/[^/]+)?$/ },
  ],
  openai: [
    { kind: 'inference', format: 'responses', path: /^\/v1\/responses$/ },
    { kind: 'inference', format: 'chat', path: /^\/v1\/chat\/completions$/ },
    { kind: 'models', path: /^\/v1\/models(?:\/[^/]+)?$/ },
  ],
  gemini: [
    {
      kind: 'inference',
      format: 'gemini',
      path: /^\/v1(?:beta)?\/models\/(?<model>[^/:]+):(?:generateContent|streamGenerateContent)$/,
    },
    { kind: 'count', format: 'gemini', path: /^\/v1(?:beta)?\/models\/[^/:]+:countTokens$/ },
    { kind: 'models', path: /^\/v1(?:beta)?\/models(?:\/[^/:]+)?$/ },
  ],
  added: [
    { kind: 'inference', format: 'responses', path: /^(?:\/[^/]+){0,6}\/responses$/ },
    { kind: 'inference', format: 'chat', path: /^(?:\/[^/]+){0,6}\/chat\/completions$/ },
    { kind: 'models', path: addedModels },
  ],
};

/** Undefined if requests of this kind do not pass. */
export function routeOf(
  { added, dialect }: Provider,
  { method, path }: { method: string; path: string },
): Route | undefined {
  const found = rules[added ? 'added' : dialect].find(
    (rule) => method === (rule.kind === 'models' ? 'GET' : 'POST') && rule.path.test(path),
  );
  if (found === undefined || found.kind === 'models') return found;
  return { ...found, model: found.path.exec(path)?.groups?.['model'] };
}

/** The parameters that pass, with their values: others could change what is counted, or name another key. */
const parameters = new Map([
  ['beta', /^(?:true|false)$/],
  ['alt', /^(?:sse|json)$/],
  ['limit', /^[0-9]{1,6}$/],
  ['after_id', /^[\w.-]{1,200}$/],
  ['before_id', /^[\w.-]{1,200}$/],
  ['pageSize', /^[0-9]{1,6}$/],
  ['pageToken', /^[\w=-]{1,400}$/],
]);

/** What is sent on of a query, with its question mark. `key`, where Gemini's clients put theirs, is ours. */
export function queryOf({ query }: Target): string {
  const rest = [...query].filter(([name]) => name !== 'key');
  const [refused] = rest.find(([name, value]) => parameters.get(name)?.test(value) !== true) ?? [];
  if (refused !== undefined)
    throw new Refused(403, `the parameter ${JSON.stringify(refused.slice(0, 60))} is not passed on`);
  const kept = new URLSearchParams(rest);
  return kept.size === 0 ? '' : `?${kept}`;
}
