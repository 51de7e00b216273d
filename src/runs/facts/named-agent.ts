import { modelProblem } from '../../config/model-problem.ts';
import { agentUses } from '../../profiles/index.ts';
import type { CommandOf } from '../../steering/commands/index.ts';
import { handedTo } from '../../steering/iterations/iteration.ts';
import type { Settings } from '../../steering/shapes/settings.ts';
import { askedBy, misconfiguration } from '../repository/configuration.ts';
import type { Asking, SaidFacts } from './asking.ts';

/** Why the run cannot be handed to the agent that a steer names, if it names one. */
export async function findAgentFacts(
  { with: agent }: CommandOf<'steer'>,
  { run, services }: Asking,
): Promise<SaidFacts> {
  if (agent === undefined) return {};
  const state = await run.state();
  if (state === undefined) return {};
  const handed = handedTo(state, agent);
  const reading = await run.readSettings({ base: state.run.base, ...askedBy({ ...state, ...handed }) });
  if (reading.outcome === 'misconfigured') return { agent_problem: misconfiguration(reading) };
  const { settings } = reading;
  // Of what else the task asks for, everything is as it was.
  const chosen = handed.task === state.task ? 'agent' : 'worker_profile';
  const refused = settings.ignored?.find((problem) => problem.startsWith(chosen));
  const { modelKeys, operator } = services;
  const problem =
    (refused && withProfiles(refused, { known: state.settings, now: settings, agent })) ??
    (modelKeys && modelProblem(settings, modelKeys, operator.bounds?.network));
  return problem === undefined ? {} : { agent_problem: problem };
}

interface Named {
  /** What the run has gone by since its last attempt began. */
  readonly known: Pick<Settings, 'profiles'>;
  readonly now: Pick<Settings, 'profiles'>;
  readonly agent: string;
}

/** A name that is no agent's of ours may be one under `agents` with a slip, or one that is new there. */
function withProfiles(refused: string, { known: { profiles = [] }, now, agent }: Named): string {
  if (agentUses.some((use) => use === agent)) return refused;
  if (now.profiles?.includes(agent) && !profiles.includes(agent))
    return 'it is under agents only since the last attempt began; a block after /retry can name it as worker_profile';
  return profiles.length === 0 ? refused : `${refused}; the names under agents are ${profiles.join(', ')}`;
}
