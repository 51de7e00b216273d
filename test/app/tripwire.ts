import type { ForgeRequest, RequestHook } from '@coxswain/forge';
import { byPeople } from './person.ts';

/** Where in a session the App dies: at its nth call of a kind, before GitHub acted upon it or after. */
export interface Moment {
  readonly at: Kind;
  readonly nth: number;
  /** `after`: GitHub has done it, and the answer never comes. */
  readonly when: 'before' | 'after';
}

export type Kind = 'call' | 'write' | 'push';

export interface Tripwire {
  readonly fired: boolean;
  /** What was being asked when it fired, for the report. */
  readonly at: string;
  /** For the forge that the App talks to. */
  readonly onRequest: RequestHook;
}

const methods: { readonly [K in Kind]: readonly string[] } = {
  call: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  write: ['POST', 'PATCH', 'PUT', 'DELETE'],
  push: ['POST'],
};

/** Kills at one moment of what the App asks of the forge. What people ask does not count. */
export function stretch(moment: Moment, kill: () => void): Tripwire {
  const wire = { fired: false, at: 'never' };
  let count = 0;
  const reached = ({ method, path }: ForgeRequest): boolean => {
    if (!methods[moment.at].includes(method)) return false;
    if (path.includes(byPeople) || isPush(path) !== (moment.at === 'push') || isGitRead(path)) return false;
    count += 1;
    return count === moment.nth;
  };
  const onRequest: RequestHook = async (request, next) => {
    if (!reached(request)) return next();
    if (moment.when === 'after') await next();
    wire.fired = true;
    wire.at = `${request.method} ${request.path}`;
    kill();
    return 'drop';
  };
  return Object.assign(wire, { onRequest });
}

export function isPush(path: string): boolean {
  return path.endsWith('/git-receive-pack');
}

/** Reading by Git changes nothing anywhere, and lies between two moments that are tried. */
function isGitRead(path: string): boolean {
  return path.includes('.git/info/refs') || path.endsWith('/git-upload-pack');
}
