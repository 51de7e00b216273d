import type { Stage, StageAgent } from '../steering/shapes/settings.ts';
import type { Configuration } from './bases.ts';

/** An agent that may work besides the usual one, and what names it. */
export interface OtherAgent {
  readonly agent: StageAgent;
  readonly of:
    | { readonly kind: 'profile'; readonly name: string }
    | { readonly kind: 'stage'; readonly name: string }
    | { readonly kind: 'review' };
}

type Known = Pick<Configuration, 'settings' | 'profiles'>;

/** The worker profiles, then the agents of stages and of second opinions that are none of these. */
export function otherAgents({ settings, profiles }: Known): readonly OtherAgent[] {
  const { stages, review, pipelines = {} } = settings;
  const all = [{ ...(stages && { stages }), ...(review && { review }) }, ...Object.values(pipelines)];
  const known = profiles.map(({ name, ...agent }) => ({ agent, of: { kind: 'profile', name } as const }));
  const named = all.flatMap((pipeline) => agentsOf(pipeline));
  const isProfile = ({ agent }: OtherAgent) => known.some((profile) => isSame(profile.agent, agent));
  return [...known, ...named.filter((each) => !isProfile(each))];
}

function agentsOf({
  stages = [],
  review,
}: {
  readonly stages?: readonly Stage[];
  readonly review?: StageAgent;
}): readonly OtherAgent[] {
  return [
    ...stages.flatMap(({ name, agent }) => (agent ? [{ agent, of: { kind: 'stage', name } as const }] : [])),
    ...(review ? [{ agent: review, of: { kind: 'review' } as const }] : []),
  ];
}

/** Whatever it is told besides, as a reviewer is. */
function isSame(one: StageAgent, other: StageAgent): boolean {
  const known = ({ agent, instructions, limits }: StageAgent) =>
    JSON.stringify([agent, instructions, limits]);
  return known(one) === known(other);
}

/** What the configuration calls an agent: its name under `agents`, or that of the program. */
export function nameOfAgent(agent: StageAgent, profiles: Configuration['profiles']): string {
  const profile = profiles.find(({ name: _, ...rest }) => isSame(rest, agent));
  return profile?.name ?? agent.agent.use;
}
