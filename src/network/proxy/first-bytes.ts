import type { Socket } from 'node:net';
import { isModelHost } from '../../config/model-hosts.ts';
import type { Known } from '../reach/reach.ts';
import type { Target } from '../reach/target.ts';
import { type Opening, odd, openingOf } from './client-hello.ts';

export interface Tunnelled {
  readonly target: Target;
  /** The configuration names the host; otherwise only `open` allows it, as it does any other. */
  readonly named: boolean;
  readonly known: Known;
}

export type FirstBytes =
  | { readonly may: 'pass'; readonly bytes: Buffer }
  /** It means another host, which may be told by its name. */
  | { readonly may: 'not'; readonly host?: string };

/**
 * Reads what a program first says in a tunnel, until it is clear which host it means. Whoever serves the host
 * of a tunnel may serve others at the same address: many registries of packages are at the same few companies
 * as half of the Internet, and the name in the program's TLS decides which one answers.
 */
export function firstBytes(program: Socket, head: Buffer, tunnelled: Tunnelled): Promise<FirstBytes> {
  return new Promise((resolve) => {
    let bytes = head;
    let pieces = 0;
    const done = (first: FirstBytes): void => {
      program.off('data', more).off('end', ended).off('close', ended).pause();
      resolve(first);
    };
    const look = (): void => {
      pieces += 1;
      const opening = pieces > maxPieces ? odd : openingOf(bytes);
      const judged = judge(opening, tunnelled);
      if (judged !== 'unclear') done(judged === 'pass' ? { may: 'pass', bytes } : judged);
    };
    const more = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      look();
    };
    // Nothing can follow that would make a greeting of it.
    const ended = (): void => done({ may: 'pass', bytes });
    program.on('data', more).once('end', ended).once('close', ended);
    if (head.length > 0) look();
  });
}

/** Nobody greets in more pieces; each is looked at with all before it. */
const maxPieces = 100;

function judge(
  opening: Opening,
  { target, named, known }: Tunnelled,
): 'unclear' | 'pass' | { may: 'not'; host?: string } {
  if (opening.kind === 'incomplete') return 'unclear';
  if (opening.kind === 'odd') return { may: 'not' };
  // At other ports than that of TLS the configuration may mean anything.
  const strict = named && target.port === 443;
  if (opening.kind === 'other') return strict ? { may: 'not' } : 'pass';
  const model = opening.hosts.find((host) => isModelHost(host, known.modelHosts));
  if (model !== undefined) return { may: 'not', host: model };
  if (!named) return 'pass';
  if (opening.hidden || (strict && opening.hosts.length === 0)) return { may: 'not' };
  const another = opening.hosts.find((host) => host !== target.host);
  return another === undefined ? 'pass' : { may: 'not', host: another };
}
