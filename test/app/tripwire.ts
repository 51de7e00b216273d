import type { Forge } from '../../src/forge/index.ts';
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
}

const methods: { readonly [K in Kind]: readonly string[] } = {
  call: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  write: ['POST', 'PATCH', 'PUT', 'DELETE'],
  push: ['POST'],
};

/** Kills at one moment of what the App asks of the forge. What people ask does not count. */
export function stretch(forge: Forge, moment: Moment, kill: () => void): Tripwire {
  const wire = { fired: false, at: 'never' };
  let count = 0;
  const reached = (method: string, path: string): boolean => {
    if (path.includes(byPeople) || isPush(path) !== (moment.at === 'push') || isGitRead(path)) return false;
    count += 1;
    if (count !== moment.nth) return false;
    wire.fired = true;
    wire.at = `${method} ${path}`;
    if (moment.when === 'before') kill();
    return true;
  };
  for (const method of methods[moment.at]) {
    forge.seed.fault({ method, path: new Sensor(method, reached), times: 1, drop: moment.when });
  }
  if (moment.when === 'after') onceActed(forge, wire, kill);
  return wire;
}

/** The forge asks each fault whether it is meant; that is the moment at which a request has arrived. */
class Sensor extends RegExp {
  readonly #method: string;
  readonly #reached: (method: string, path: string) => boolean;

  constructor(method: string, reached: (method: string, path: string) => boolean) {
    super('');
    this.#method = method;
    this.#reached = reached;
  }

  override test(path: string): boolean {
    return this.#reached(this.#method, path);
  }
}

/**
 * A request is logged when it has taken effect, before it is answered; one that is cut off, with status 0.
 */
function onceActed({ requests }: Forge, wire: Tripwire, kill: () => void): void {
  const add = requests.add.bind(requests);
  requests.add = (request) => {
    add(request);
    if (wire.fired && request.status === 0) kill();
  };
}

export function isPush(path: string): boolean {
  return path.endsWith('/git-receive-pack');
}

/** Reading by Git changes nothing anywhere, and lies between two moments that are tried. */
function isGitRead(path: string): boolean {
  return path.includes('.git/info/refs') || path.endsWith('/git-upload-pack');
}
