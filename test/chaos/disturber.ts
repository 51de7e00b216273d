import { setTimeout as wait } from 'node:timers/promises';
import type { ForgeRequest, ForgeResponse, HookResult, RequestHook } from '@coxswain/forge';
import { byPeople } from '../app/person.ts';
import { type Disturbance, type FaultFacts, faults, type Upheaval } from './fault.ts';

/** Disturbs the App's requests to the forge; requests by people are left alone and not counted. */
export interface Disturber {
  readonly onRequest: RequestHook;
  /** The routes of the App's requests so far. */
  readonly routes: readonly string[];
  /** The requests that were disturbed. */
  readonly disturbed: readonly string[];
  /** The texts that the App wrote so far, or tried to. */
  readonly written: readonly string[];
}

/** What a fault does beside its answer. */
interface Disturbing {
  /** Ends the process that made the request. */
  readonly kill: () => void;
  /** Ends the tokens of the App. */
  readonly revoke?: () => void;
  /** Happens to the process that made the request, or to its machine. */
  readonly upset?: (how: Upheaval) => void;
  readonly isOurs?: (request: ForgeRequest) => boolean;
}

export function disturb(
  disturbance: Disturbance,
  { kill, revoke, upset, isOurs = isByApp }: Disturbing,
): Disturber {
  const routes: string[] = [];
  const disturbed: string[] = [];
  const written: string[] = [];
  const steps = [...disturbance];
  let count = 0;
  const factsFor = (route: string): FaultFacts | undefined => {
    const [step] = steps;
    if (step === undefined || (step.route !== 'any' && step.route !== route)) return undefined;
    count += 1;
    if (count < step.nth) return undefined;
    steps.shift();
    count = 0;
    return faults[step.fault];
  };
  const onRequest: RequestHook = async (request, next) => {
    if (request.kind === 'page' || !isOurs(request)) return next();
    const route = routeOf(request);
    routes.push(route);
    written.push(...textsIn(request));
    const facts = factsFor(route);
    if (facts === undefined) return next();
    disturbed.push(`${request.method} ${request.path}`);
    if (facts.revokes) {
      revoke?.();
      return next();
    }
    if (facts.machine !== undefined) {
      const answered = await next();
      upset?.(facts.machine);
      return facts.kills ? 'drop' : answered;
    }
    return answer(facts, { request, next, kill });
  };
  return { onRequest, routes, disturbed, written };
}

/** The body of a comment or a pull request. */
function textsIn({ kind, method, body }: ForgeRequest): readonly string[] {
  if (kind !== 'api' || method === 'GET' || body.length === 0) return [];
  const { body: text } = JSON.parse(body.toString()) as { readonly body?: unknown }; // the App writes JSON
  return typeof text === 'string' ? [text] : [];
}

interface Disturbed {
  readonly request: ForgeRequest;
  readonly next: () => Promise<HookResult>;
  readonly kill: () => void;
}

async function answer(facts: FaultFacts, { request, next, kill }: Disturbed): Promise<HookResult> {
  if (facts.delayMs !== undefined) {
    await wait(facts.delayMs);
    return next();
  }
  const answered = facts.processed ? await next() : 'drop';
  if (facts.cuts && answered !== 'drop')
    return { ...answered, body: answered.body.slice(0, answered.body.length / 2) };
  if (facts.kills) kill();
  return facts.status === undefined
    ? 'drop'
    : response(facts.status, { isGit: request.kind === 'git', ...facts });
}

function response(status: number, { isGit, refuses }: { isGit: boolean; refuses: boolean }): ForgeResponse {
  const message = messages[status] ?? 'Something went wrong';
  if (isGit) return { status, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
  const limit = (status === 403 && !refuses) || status === 429;
  return {
    status,
    headers: { 'content-type': 'application/json', ...(limit && { 'retry-after': '1' }) },
    body: JSON.stringify({
      message: limit ? 'You have exceeded a secondary rate limit. Please wait a few minutes.' : message,
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    }),
  };
}

const messages: Readonly<Record<number, string>> = {
  401: 'Bad credentials',
  403: 'Resource not accessible by integration',
  404: 'Not Found',
  405: 'Pull Request is not mergeable',
  409: 'Conflict',
  422: 'Validation Failed',
  500: 'Server Error',
  502: 'Server Error',
};

/** The App's tokens for Git are those of an installation, and Git sends none at first. */
function isByApp(request: ForgeRequest): boolean {
  return request.kind === 'git' ? isByBot(request) : !request.path.includes(byPeople);
}

/** Whether it has the token of an installation, as all requests of a job have. */
export function isByBot(request: ForgeRequest): boolean {
  return tokenOf(request).startsWith('ghs_');
}

/** Empty if it has none. */
export function tokenOf({ kind, headers }: ForgeRequest): string {
  const [, credentials = ''] = headers.authorization?.split(' ') ?? [];
  return kind === 'git' ? (Buffer.from(credentials, 'base64').toString().split(':')[1] ?? '') : credentials;
}

/** The request without what differs between sessions, such as `PATCH issues/{n}`. */
export function routeOf({ method, path }: Pick<ForgeRequest, 'method' | 'path'>): string {
  const [pathname = '', query = ''] = path.split('?');
  const short = pathname
    .replace(/^\/repos\/acme\/\w+\/|^\/acme\/\w+\.git\/|^\//, '')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '{sha}')
    .replaceAll(/\/\d+/g, '/{n}')
    .replace(/(heads|branches|collaborators|compare)\/.*/, '$1');
  return `${method} ${short}${query.includes('git-receive-pack') ? ' (push)' : ''}`;
}
