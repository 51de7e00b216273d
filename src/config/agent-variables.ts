import { redact } from '../text/redact.ts';
import { isOurs } from './schema/registries.ts';

/**
 * Why a variable may not be passed to agents, as what was expected instead; undefined if it may. An agent,
 * and whatever it runs, could send a secret anywhere.
 */
export function objectionToVariable(name: string, value: string): string | undefined {
  if (isOurs(name)) return 'no setting of Coxswain itself';
  if (redact(value) === value) return undefined;
  return (
    'no value in the format of a secret: the keys of models are put into requests by an endpoint of ours, ' +
    'which finds them in the environment by themselves'
  );
}
