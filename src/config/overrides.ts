import { z } from 'zod';
import { usualQuestions } from '../steering/shapes/question.ts';
import type { AgentChoice, ProtocolAgent, Settings, TaskOverrides } from '../steering/shapes/settings.ts';
import { expectedToAsk, expectedToCount } from './agent-choices.ts';
import { expectedPipeline, withPipeline } from './pipelines.ts';
import { beyond, problemAt, problemsFrom, type Reading, replaced } from './problems.ts';
import { chosenAgent } from './schema/agent-keys.ts';
import { type Path, type Problem, pathText } from './schema/config-problem.ts';
import {
  layersOf,
  type Place,
  placesIn,
  saidOf,
  valueAt,
  withDefaults,
  withLongForms,
} from './schema/document.ts';
import type { Bounds } from './schema/operator-bounds.ts';
import { defined, mapping, notHere, section, settled } from './schema/schema-forms.ts';
import { pipelineName } from './schema/stage-keys.ts';
import { free, type Tightening } from './schema/tightening.ts';
import { writtenVerifiers } from './schema/verifier-keys.ts';
import { configKeys } from './schema.ts';
import { expectedToSuffice } from './settings-by-base.ts';

/** The agent that a task chooses within the operator's bounds. */
const anotherAgent: Tightening = {
  expected(asked: ChosenAgent, _, settings) {
    // What the agent is given, and what runs besides it, is the repository's to say.
    if (('skills' in asked && asked.skills) || ('mcp' in asked && asked.mcp))
      return 'an agent without skills and mcp, which only the configuration names';
    return expectedToAsk(settings.permissions, asked) ?? expectedToCount(settings, asked);
  },
  applied: (asked: ChosenAgent, settings) => ({
    ...settings,
    agent: equippedAs(settings.agent, asked),
  }),
};

/** A pipeline in which people approve at least the stages of the repository's own. */
const anotherPipeline: Tightening = {
  expected: (asked: string, _, settings) => expectedPipeline(settings, asked),
  applied: (asked: string, settings) => withPipeline(settings, asked),
};

type Entry = readonly [name: string, schema: z.ZodType];

/** All keys of the configuration that say how a task may change them, below what they are below there. */
function tightenable(shape: z.core.$ZodLooseShape): Readonly<Record<string, z.ZodType>> {
  const entries = Object.entries(shape).flatMap(([name, schema]) => {
    const group = layersOf(schema).find((layer) => layer instanceof z.ZodObject);
    const keys = Object.entries(group?.shape ?? { [name]: schema }).flatMap(([key, each]) => {
      const own = layersOf(each).find((layer) => layer.meta()?.task !== undefined);
      return own === undefined ? [] : [{ key, as: saidOf(own).task?.as, own: own.optional() }];
    });
    const atTop = keys.filter(({ as }) => as !== undefined || group === undefined);
    const below = keys.filter((each) => !atTop.includes(each)).map(({ key, own }): Entry => [key, own]);
    return [
      ...atTop.map(({ key, as = key, own }): Entry => [as, own]),
      ...(below.length === 0 ? [] : [[name, groupOf(below, schema)] as const]),
    ];
  });
  return Object.fromEntries(entries);
}

/** Its example is that of the configuration, as far as a task has the same keys. */
function groupOf(entries: readonly Entry[], schema: z.core.$ZodType): z.ZodType {
  const [[first, key] = ['', schema]] = entries;
  const own = Object.fromEntries(entries);
  const { examples: [usual] = [] } = saidOf(schema);
  const { task, examples: [usualOfFirst] = [] } = saidOf(key);
  const isOwn = Object.keys(Object(usual)).every((name) => Object.hasOwn(own, name));
  const example = isOwn ? usual : { [first]: task?.example ?? usualOfFirst };
  const names = Object.keys(own);
  const words = names.length === 1 ? first : `any of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return section(own, `a mapping with ${words}`).meta({ examples: [example] });
}

const tightenableKeys = tightenable(configKeys);
const { approval, limits, ...others } = tightenableKeys;

/** These keys are mappings, in which each key counts by itself. */
export const overrideGroups: readonly string[] = Object.entries(configKeys).flatMap(([name, schema]) =>
  Object.hasOwn(tightenableKeys, name) && layersOf(schema).some((layer) => layer instanceof z.ZodObject)
    ? [name]
    : [],
);

/** What a task may say of the settings, in the order in which it is printed. */
export const overrideKeys = {
  ...others,
  agent: chosenAgent.meta({ ...chosenAgent.meta(), task: anotherAgent }).optional(),
  pipeline: pipelineName.meta({ ...pipelineName.meta(), task: anotherPipeline }),
  critical: z
    .literal(true, { error: 'true: a task can be marked as critical, and never as less critical' })
    .optional()
    .meta({ examples: [true], task: free }),
  gates: notHere(
    'no gates: only the configuration says what stops for a human; a task can be marked with `critical: true`',
  ),
  verifiers: writtenVerifiers,
  ...(approval && { approval }),
  ...(limits && { limits }),
};

const overridesSchema = mapping(
  {
    ...overrideKeys,
    setup: notHere(
      'no setup, because the repository has a configuration, which says what is set up: remove it from the inputs of the workflow',
    ),
  },
  'a mapping of overrides',
).meta({ examples: [{ max_steering_iterations: 3 }] });

/**
 * Applies what a task asks for, whoever asks: it adds verifiers under new names, raises thresholds, lowers
 * limits, and chooses an agent within the operator's bounds. It never replaces, drops or loosens anything.
 * There is a problem for each part that was left out, because it would loosen the settings or is invalid;
 * `overrides` were checked, and are applied again whenever the configuration is read again.
 */
export function withOverrides(settings: Settings, written: unknown, bounds: Bounds = {}) {
  const document = withLongForms(overridesSchema, written);
  const reading = { document, schema: overridesSchema, lineOf: () => undefined };
  const checked = overridesSchema.safeParse(document);
  if (!checked.success) return { settings, overrides: {}, problems: problemsFrom(checked.error, reading) };
  let tightened = settings;
  const problems: Problem[] = [];
  // A mapping, as the schema has accepted it.
  const overrides = withDefaults(overridesSchema, document) as TaskOverrides;
  for (const { path, key } of inOrder(placesIn(overridesSchema, overrides))) {
    const asked = valueAt(checked.data, path);
    if (key.task === undefined || asked === key.task.unset) continue;
    const after = applied(key.task, { asked, path }, tightened);
    const objections = objectionsTo(key.task, { asked, path }, { now: tightened, after, bounds, reading });
    if (objections.length === 0) tightened = after;
    problems.push(...objections);
  }
  return { settings: tightened, problems, overrides };
}

/** Keys that others depend on come first. */
function inOrder(places: readonly Place[]): readonly Place[] {
  const order = ['critical', 'agent', 'pipeline', 'verifiers', 'approval', 'ask_level', 'questions'];
  const rank = ({ path: [top] }: Place) => (order.indexOf(String(top)) + order.length) % (order.length + 1);
  return places.toSorted((one, other) => rank(one) - rank(other));
}

interface Asked {
  readonly asked: unknown;
  readonly path: Path;
}

function applied({ at, applied }: Tightening, { asked, path }: Asked, settings: Settings): Settings {
  if (applied !== undefined) return applied(asked, settings);
  // The same settings with another value of the same kind.
  return replaced(complete(settings, at ?? path), at ?? path, settled(asked)) as Settings;
}

/** Settings leave out what is as usual, which a task may change all the same. */
function complete(settings: Settings, [group]: Path): Settings {
  return group === 'questions' ? { questions: usualQuestions, ...settings } : settings;
}

interface Around {
  readonly now: Settings;
  readonly after: Settings;
  readonly bounds: Bounds;
  readonly reading: Reading;
}

function objectionsTo(
  task: Tightening,
  { asked, path }: Asked,
  { now, after, bounds, reading }: Around,
): readonly Problem[] {
  const at = task.at ?? path;
  const expected =
    task.expected(asked, valueAt(complete(now, at), at), now) ??
    (path[0] === 'approval' ? expectedToSuffice(String(path.at(-1)), after.approval) : undefined);
  const told = task.told === undefined ? path : [...path, task.told];
  if (expected !== undefined) return [problemAt(told, expected, reading)];
  const own = pathText(told);
  const all = beyond(reading, { bounds, settings: after });
  return all.filter((problem) => problem.path.startsWith(own));
}

type ChosenAgent = z.output<typeof chosenAgent>;

/** The agent has the time of the repository's own; the same one also keeps what the task does not write. */
function equippedAs(own: AgentChoice, { timeout: _, ...asked }: ChosenAgent): AgentChoice {
  const chosen = settled({ ...asked, timeout_s: own.timeout_s });
  if (!isProtocolAgent(own) || !isProtocolAgent(chosen)) return chosen;
  if (own.use === chosen.use) return { ...own, ...chosen };
  const { skills, mcp } = own;
  return { ...chosen, ...defined({ skills, mcp }) };
}

function isProtocolAgent(agent: AgentChoice): agent is ProtocolAgent {
  return agent.use !== 'command' && agent.use !== 'scripted';
}
