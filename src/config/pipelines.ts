import { agentUses } from '../profiles/index.ts';
import type { AgentChoice, Pipeline, Settings, Stage, StageAgent } from '../steering/shapes/settings.ts';
import { profileProblems, type WorkerProfile } from './agent-choices.ts';
import { boundProblems, problemAt, type Reading } from './problems.ts';
import type { Path, Problem } from './schema/config-problem.ts';
import { agentBeyond, type Bounds } from './schema/operator-bounds.ts';
import { ifAny, settled } from './schema/schema-forms.ts';
import { type ReadStage, shippedStages } from './schema/stage-keys.ts';
import { orMeant } from './schema/suggestion.ts';
import type { FromFile } from './schema.ts';

/** The agents that stages can name: worker profiles, and those known by name as they usually are. */
interface Agents {
  readonly profiles: readonly WorkerProfile[];
  /** The agent of the run. */
  readonly usual: AgentChoice;
}

interface Around {
  readonly review?: FromFile['review'];
  /** People approve what each stage came to: of the last one, that is the work itself. */
  readonly showsAll?: boolean;
}

const usualStages: readonly ReadStage[] = [{ name: 'implement', check: [], approve: false }];

/** The stages of runs whose task chooses none, and what tasks can choose. */
export function stagesFrom(config: FromFile, agents: Agents): Partial<Settings> {
  const own = Object.entries(config.pipelines);
  const around = { review: config.review, showsAll: config.approve_stages === 'all' };
  const all = Object.fromEntries(own.map(([name, stages]) => [name, pipelineFrom(stages, around, agents)]));
  const { stages, review } = pipelineFrom(config.stages ?? usualStages, around, agents);
  return {
    ...(!isPlain(stages) && { stages }),
    ...(review !== undefined && { review }),
    ...(own.length > 0 && { pipelines: all }),
  };
}

/** Whether it is as without any. */
function isPlain(stages: readonly Stage[]): boolean {
  return stages.length === 0 || JSON.stringify(stages) === JSON.stringify(shippedStages['implement']);
}

function pipelineFrom(stages: readonly ReadStage[], { review, showsAll }: Around, agents: Agents): Pipeline {
  const working = stages.filter(({ name }) => name !== 'review');
  const reviewing = stages.find(({ name }) => name === 'review');
  const reviewer = reviewing?.agent ?? review?.agent;
  return {
    stages: working.map((stage) => ({
      ...stageFrom(stage, agents),
      ...((stage.approve || showsAll) && { approve: true }),
    })),
    ...((reviewing ?? review) !== undefined && {
      review: {
        ...(reviewer === undefined ? { agent: agents.usual } : agentNamed(reviewer, agents)),
        ...(reviewing?.instructions && { told: reviewing.instructions }),
      },
    }),
  };
}

function stageFrom({ name, instructions, agent, check, retries }: ReadStage, agents: Agents): Stage {
  const own = agent === undefined ? undefined : agentNamed(agent, agents);
  return settled({ name, instructions, agent: own, checks: ifAny(check), retries });
}

/** A name that is not known is a problem of its own. */
function agentNamed(use: string, { profiles, usual }: Agents): StageAgent {
  const profile = profiles.find(({ name }) => name === use);
  if (profile === undefined) return { agent: { use, timeout_s: usual.timeout_s } };
  const { name: _, ...rest } = profile;
  return rest;
}

interface Checked extends Agents {
  readonly bounds: Bounds;
  readonly reading: Reading;
}

/**
 * Says what is wrong with stages that the schema allows: names that do not exist, agents that cannot be used.
 */
export function stageProblems(config: FromFile, settings: Settings, checked: Checked): readonly Problem[] {
  const { reading } = checked;
  const { pipelines, stages, review } = config;
  const taken = Object.keys(pipelines).filter((name) => Object.hasOwn(shippedStages, name));
  const lists: readonly (readonly [Path, readonly ReadStage[]])[] = [
    [['stages'], stages ?? []],
    ...Object.entries(pipelines).map(([name, list]) => [['pipelines', name], list] as const),
  ];
  const named = lists.flatMap(([path, list]) =>
    list.flatMap(({ agent }, index) => (agent ? [{ path: [...path, index, 'agent'], use: agent }] : [])),
  );
  return [
    ...taken.map((name) => problemAt(['pipelines', name], 'a name that no pipeline of ours has', reading)),
    ...[...named, ...(review ? [{ path: ['review', 'agent'], use: review.agent }] : [])].flatMap((each) =>
      agentProblems(each, settings, checked),
    ),
  ];
}

function agentProblems(
  { path, use }: { readonly path: Path; readonly use: string },
  settings: Settings,
  { profiles, usual, bounds, reading }: Checked,
): readonly Problem[] {
  // What is wrong with it as a worker profile is told there.
  if (profiles.some(({ name }) => name === use)) return [];
  const needsMore = ['command', 'scripted', 'acp'];
  const known = [
    ...profiles.map(({ name }) => name),
    ...agentUses.filter((each) => !needsMore.includes(each)),
  ];
  if (!known.includes(use)) return [problemAt([...path, 'use'], orMeant(use, known), reading)];
  const profile = { name: use, agent: { use, timeout_s: usual.timeout_s }, limits: {} };
  return [
    ...profileProblems([{ ...profile, path }], settings, reading),
    ...boundProblems(path, agentBeyond(profile.agent, bounds), reading),
  ];
}

/** Says what a task would have to choose; undefined if it can choose this pipeline. */
export function expectedPipeline(settings: Settings, name: string): string | undefined {
  const chosen = pipelineNamed(settings, name);
  if (chosen === undefined)
    return orMeant(name, [...Object.keys(settings.pipelines ?? {}), ...Object.keys(shippedStages)]);
  const approved = (stages: readonly Stage[] = []) =>
    stages.filter(({ approve }) => approve).map((each) => each.name);
  const kept = approved(chosen.stages);
  const lost = approved(settings.stages).find((each) => !kept.includes(each));
  return lost === undefined
    ? undefined
    : `a pipeline in which people approve ${lost}, as in the repository's own`;
}

/** The settings with another pipeline; a second opinion that the repository wants stays. */
export function withPipeline(settings: Settings, name: string): Settings {
  const { stages: _, review: own, ...rest } = settings;
  const { stages = [], review = undefined } = pipelineNamed(settings, name) ?? {};
  const reviewer = own ?? review;
  return { ...rest, ...(!isPlain(stages) && { stages }), ...(reviewer && { review: reviewer }) };
}

function pipelineNamed(
  { pipelines = {}, stages: own = [], agent }: Settings,
  name: string,
): Pipeline | undefined {
  const known = Object.hasOwn(pipelines, name) ? pipelines[name] : undefined;
  const ours = Object.hasOwn(shippedStages, name) ? shippedStages[name] : undefined;
  if (known !== undefined || ours === undefined) return known;
  const stages = ours.map((stage) => ({ check: [], approve: false, ...stage }));
  const showsAll = own.length > 0 && own.every(({ approve }) => approve);
  return pipelineFrom(stages, { showsAll }, { profiles: [], usual: agent });
}
