import { z } from 'zod';
import type { Settings } from '../steering/settings.ts';
import { type Bounds, beyond, within } from './bounds.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { Problem } from './problem.ts';
import { problemAt, problemsFrom, type Reading } from './problems.ts';
import { withLongAgent } from './read.ts';
import { agent } from './schema/agent.ts';
import { mode, required, threshold } from './schema/approval.ts';
import { maxIterations, minutes } from './schema/limits.ts';
import { verifiers } from './schema/verifiers.ts';
import { agentFrom, verifierFrom } from './settings.ts';

/** The settings of a repository that a task may override, with the same keys. */
const overridesSchema = z
  .strictObject(
    {
      max_steering_iterations: maxIterations.optional(),
      agent: agent.optional(),
      verifiers,
      approval: z
        .strictObject(
          { mode: mode.optional(), threshold: threshold.optional(), required: required.optional() },
          { error: 'a mapping' },
        )
        .prefault({}),
      limits: z.strictObject({ minutes: minutes.optional() }, { error: 'a mapping' }).prefault({}),
    },
    { error: 'a mapping of overrides' },
  )
  .meta({ examples: [{ max_steering_iterations: 3 }] });

type Overrides = z.output<typeof overridesSchema>;

interface Author {
  /** Whether the task's author may approve, and may therefore also loosen the repository's settings. */
  readonly may_loosen: boolean;
}

type Overridden =
  | { readonly outcome: 'overridden'; readonly settings: Settings }
  | { readonly outcome: 'refused'; readonly problems: readonly Problem[] };

const overridesJsonSchema = jsonSchemaOf(overridesSchema);

/**
 * A task overrides the repository, which overrides the defaults. A task's verifiers are added to the
 * repository's; one with the same name replaces it, which only someone who may approve can request.
 */
export function withOverrides(
  settings: Settings,
  written: unknown,
  { may_loosen, bounds = {} }: Author & { readonly bounds?: Bounds },
): Overridden {
  const reading = { document: withLongAgent(written), schema: overridesJsonSchema, lineOf: () => undefined };
  const checked = overridesSchema.safeParse(reading.document);
  if (!checked.success) return { outcome: 'refused', problems: problemsFrom(checked.error, reading) };

  const overridden = apply(settings, checked.data);
  const loosened = may_loosen ? [] : loosenings(settings, checked.data, reading);
  const problems = [...loosened, ...beyond(bounds, overridden, reading)];
  if (problems.length > 0) return { outcome: 'refused', problems };
  return { outcome: 'overridden', settings: within(bounds, overridden) };
}

function apply(settings: Settings, overrides: Overrides): Settings {
  const { approval, steering, limits } = settings;
  const max_iterations = overrides.max_steering_iterations || steering.max_iterations;
  return {
    ...settings,
    agent: agentFrom(overrides.agent) ?? settings.agent,
    verifiers: addVerifiers(settings.verifiers, overrides.verifiers.map(verifierFrom)),
    approval: {
      ...approval,
      mode: overrides.approval.mode ?? approval.mode,
      threshold: overrides.approval.threshold ?? approval.threshold,
      required: overrides.approval.required ?? approval.required,
    },
    steering: { ...steering, max_iterations },
    limits: { minutes: overrides.limits.minutes ?? limits.minutes },
  };
}

function addVerifiers(ours: Settings['verifiers'], added: Settings['verifiers']): Settings['verifiers'] {
  const kept = ours.filter(({ name }) => !added.some((each) => sameName(each.name, name)));
  return [...kept, ...added];
}

function loosenings({ approval, verifiers }: Settings, overrides: Overrides, reading: Reading): Problem[] {
  const { threshold: confidence = 1, required: people = 10 } = overrides.approval;
  const right = 'only someone who may approve can loosen this';
  const lower = [
    confidence < approval.threshold
      ? [problemAt(['approval', 'threshold'], `at least ${approval.threshold}; ${right}`, reading)]
      : [],
    people < approval.required
      ? [problemAt(['approval', 'required'], `at least ${approval.required}; ${right}`, reading)]
      : [],
  ];
  const replaced = overrides.verifiers.flatMap(({ name }, index) =>
    verifiers.some((each) => sameName(each.name, name))
      ? [problemAt(['verifiers', index, 'name'], `a name the repository does not use; ${right}`, reading)]
      : [],
  );
  return [...lower.flat(), ...replaced];
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
