import type { Reach, Use } from '../../steering/settings.ts';
import { yamlList } from '../../text/yaml-list.ts';
import { mainPort } from '../main-port.ts';
import type { Objection } from '../reach/reach.ts';
import { type Target, written } from '../reach/target.ts';
import type { Answer } from '../server/answer.ts';
import type { BlockedHosts } from './blocked.ts';

interface Refusal {
  readonly target: Target;
  readonly why: Objection;
  readonly use: Use;
  readonly reach: Reach;
}

/** What programs of one use may reach, and what they were refused. */
interface Access {
  readonly use: Use;
  readonly reach: Reach;
  readonly blocked: BlockedHosts;
}

/** Answers that a program may not reach a host, and remembers it. */
export function refused(target: Target, why: Objection, { use, reach, blocked }: Access): Answer {
  const text = explained({ target, why, use, reach });
  // Many programs show nothing but this line.
  return { status: `403 Blocked by Coxswain (network.${use})`, text, blocked: blocked.add(target, why) };
}

/** What a program, and who reads its output, learns when it may not reach a host. */
function explained({ target, why, use, reach }: Refusal): string {
  const host = written(target);
  switch (why) {
    case 'unlisted':
      return [
        `Coxswain: network.${use} in .github/coxswain.yml does not allow ${host}.`,
        'To allow it, write on the default branch:',
        `  network: { ${use}: ${yamlList([...reach, host])} }`,
      ].join('\n');
    case 'model':
      return [
        `Coxswain: ${host} is the host of a model, which programs can reach only through our endpoint,`,
        `http://127.0.0.1:${mainPort}/${host}, with "model" in network.${use} of .github/coxswain.yml.`,
      ].join('\n');
    case 'address':
      return [
        `Coxswain: ${host} is not the name of a public host, and no configuration can allow it.`,
        'If it is on this machine, call it without the proxy: NO_PROXY names what needs none.',
      ].join('\n');
    case 'private':
      return [
        `Coxswain: ${host} leads to a private address.`,
        'Only the operator can allow that, by naming the host as a private one.',
      ].join('\n');
  }
}
