import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { byPeople } from './person.ts';

/** When the App is killed: at its nth request of a kind, before or after GitHub has processed it. */
export interface KillPoint {
  readonly at: Kind;
  readonly nth: number;
  /** `after`: GitHub has processed the request, but the App never receives the response. */
  readonly when: 'before' | 'after';
}

export type Kind = 'call' | 'write' | 'push';

export interface KillHook {
  readonly fired: boolean;
  /** The request at which it fired, for the report. */
  readonly at: string;
  /** To be passed to the forge. */
  readonly onRequest: RequestHook;
}

const methods: { readonly [K in Kind]: readonly string[] } = {
  call: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  write: ['POST', 'PATCH', 'PUT', 'DELETE'],
  push: ['POST'],
};

/** Calls `kill` at one of the App's requests to the forge; requests by people are not counted. */
export function killAt(point: KillPoint, kill: () => void): KillHook {
  const hook = { fired: false, at: 'never' };
  let count = 0;
  const reached = ({ method, path }: ForgeRequest): boolean => {
    if (!methods[point.at].includes(method)) return false;
    if (path.includes(byPeople) || isPush(path) !== (point.at === 'push') || isGitRead(path)) return false;
    count += 1;
    return count === point.nth;
  };
  const onRequest: RequestHook = async (request, next) => {
    if (!reached(request)) return next();
    if (point.when === 'after') await next();
    hook.fired = true;
    hook.at = `${request.method} ${request.path}`;
    kill();
    return 'drop';
  };
  return Object.assign(hook, { onRequest });
}

export function isPush(path: string): boolean {
  return path.endsWith('/git-receive-pack');
}

/** Git reads change no state, so a kill there is covered by the kill points before and after them. */
function isGitRead(path: string): boolean {
  return path.includes('.git/info/refs') || path.endsWith('/git-upload-pack');
}
