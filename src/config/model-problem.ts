import { profileNamed } from '../profiles/index.ts';
import type { NetworkSettings, Settings } from '../steering/shapes/settings.ts';
import { allowedBy, isWithin } from './schema/operator-bounds.ts';

/** The keys of models that Coxswain has. */
export interface ModelKeys {
  /** The variables that hold them. */
  readonly names: readonly string[];
  /** The operator has added hosts of models, and any agent may know how to use them. */
  readonly hasOthers: boolean;
}

/**
 * Says why the agent of these settings would not reach its model, in part of a sentence; undefined if it may.
 */
export function modelProblem(
  { agent: { use }, network }: Pick<Settings, 'agent' | 'network'>,
  { names, hasOthers }: ModelKeys,
  bound?: NetworkSettings,
): string | undefined {
  const profile = profileNamed(use);
  if (profile === undefined) return undefined;
  const { title, keys } = profile;
  if (!network.agent.some((word) => word === 'model' || word === 'open'))
    return `${title} may not reach its model: ${howToReach(bound)}`;
  if (hasOthers || keys.some((key) => names.includes(key))) return undefined;
  const wanted = keys.length === 1 ? keys[0] : `one of ${keys.join(', ')}`;
  return (
    `${title} needs the key of its model: expected ${wanted} where Coxswain runs, ` +
    'which in the Action is under `env:` of its step'
  );
}

/** Where the operator forbids it, the configuration cannot help. */
function howToReach(bound: NetworkSettings | undefined): string {
  if (bound === undefined || isWithin(bound.agent, 'model'))
    return 'expected `model` under `network.agent` in the configuration';
  const allowed = allowedBy(bound.agent);
  return `expected an operator who allows \`model\`, where the operator's bound network.agent allows ${allowed}`;
}
