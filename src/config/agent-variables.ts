import { profiles } from '../profiles/index.ts';
import { redact } from '../text/redact.ts';
import { isOurs } from './schema/registries.ts';

const modelKeys = Object.values(profiles).flatMap(({ keys }) => keys);

/** Why a variable may not be passed to agents, as what was expected instead; undefined if it may. */
export function objectionToVariable(name: string, value: string): string | undefined {
  if (isOurs(name)) return 'a variable for agents alone: Coxswain and its host use this one themselves';
  // That of a gateway may look like anything.
  if (modelKeys.includes(name))
    return 'no key of a model: Coxswain puts it into requests itself, and agents need none';
  if (redact(value) === value) return undefined;
  return 'no value in the format of a secret, which an agent, and whatever it runs, could send anywhere';
}
