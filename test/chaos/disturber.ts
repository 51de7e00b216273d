import { setTimeout as wait } from 'node:timers/promises';
import type { ForgeRequest, ForgeResponse, HookResult, RequestHook } from '@coxswain/forge';
import { byPeople } from '../app/person.ts';
import { type Disturbance, type FaultFacts, faults } from './fault.ts';

/** Disturbs the App's requests to the forge; requests by people are left alone and not counted. */
export interface Disturber {
  readonly onRequest: RequestHook;
  /** The routes of the App's requests so far. */
  readonly routes: readonly string[];
  /** The requests that were disturbed. */
  readonly disturbed: readonly string[];
}

export function disturb(disturbance: Disturbance, kill: () => void): Disturber {
  const routes: string[] = [];
  const disturbed: string[] = [];
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
    if (request.kind === 'page' || request.path.includes(byPeople) || isByPerson(request)) return next();
    const route = routeOf(request);
    routes.push(route);
    const facts = factsFor(route);
    if (facts === undefined) return next();
    disturbed.push(`${request.method} ${request.path}`);
    return answer(facts, { request, next, kill });
  };
  return { onRequest, routes, disturbed };
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
  if (facts.processed) await next();
  if (facts.kills) kill();
  return facts.status === undefined
    ? 'drop'
    : response(facts.status, { isGit: request.kind === 'git', ...facts });
}

function response(status: number, { isGit, refuses }: { isGit: boolean; refuses: boolean }): ForgeResponse {
  const message = messages[status] ?? 'Something went wrong';
  if (isGit) return { status, headers: { 'content-type': 'text/plain' }, body: `${message}\n` };
  const limit = status === 403 && !refuses;
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
  409: 'Conflict',
  422: 'Validation Failed',
  500: 'Server Error',
  502: 'Server Error',
};

/** The tests' own use of Git. The App's tokens are those of an installation; Git sends none at first. */
function isByPerson({ kind, headers }: ForgeRequest): boolean {
  if (kind !== 'git') return false;
  const [, password = ''] = Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64')
    .toString()
    .split(':');
  return !password.startsWith('ghs_');
}

/** The request without what differs between sessions, such as `PATCH issues/{n}`. */
export function routeOf({ method, path }: Pick<ForgeRequest, 'method' | 'path'>): string {
  const [pathname = '', query = ''] = path.split('?');
  const short = pathname
    .replace(/^\/repos\/acme\/widgets\/|^\/acme\/widgets\.git\/|^\//, '')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '{sha}')
    .replaceAll(/\/\d+/g, '/{n}')
    .replace(/(heads|branches|collaborators|compare)\/.*/, '$1');
  return `${method} ${short}${query.includes('git-receive-pack') ? ' (push)' : ''}`;
}
