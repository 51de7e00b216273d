import { modelProblem } from '../config/agent-keys.ts';
import { isAlwaysAnswered } from '../steering/answering/reply-limit.ts';
import type { Event } from '../steering/event.ts';
import { askedBy, misconfiguration } from './configuration.ts';
import type { Run } from './run.ts';
import type { Services } from './services.ts';
import { upToDate } from './up-to-date.ts';

/** The event, with why its run cannot be handed to the agent that it names, if it names one. */
export async function withAgentProblem(event: Event, run: Run, services: Services): Promise<Event> {
  if (event.type !== 'said' || event.command.type !== 'steer') return event;
  // Strangers may not steer anyhow, and must not make us fetch.
  if (!isAlwaysAnswered(event.by.role)) return event;
  const { with: agent } = event.command;
  const state = await upToDate(run, services);
  if (agent === undefined || state === undefined) return event;
  const overrides = { ...state.overrides, agent };
  const reading = await run.readSettings({ base: state.run.base, ...askedBy(state), overrides });
  if (reading.outcome === 'misconfigured') return { ...event, agent_problem: misconfiguration(reading) };
  const { settings } = reading;
  // Of what else the task asks for, everything is as it was.
  const refused = settings.ignored?.find((problem) => problem.startsWith('agent'));
  const { modelKeys, operator } = services;
  const problem = refused ?? (modelKeys && modelProblem(settings, modelKeys, operator.bounds?.network));
  return problem === undefined ? event : { ...event, agent_problem: problem };
}
