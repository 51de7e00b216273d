import { z } from 'zod';
import { jsonSchemaOf } from '../json-schema.ts';
import { chosenAgent } from './agent.ts';
import { mode, required, threshold } from './approval.ts';
import { approvers, protectedPaths } from './approvers.ts';
import { mapping } from './forms.ts';
import { limitKeys, maxIterations } from './limits.ts';
import { askLevel, onQuestionTimeout } from './questions.ts';
import { pipelineName } from './stages.ts';
import { verifiers } from './verifiers.ts';

/** The settings of a repository that a task may tighten, with the same keys. */
export const overrideKeys = {
  max_steering_iterations: maxIterations.optional(),
  ask_level: askLevel.optional(),
  questions: mapping({ on_timeout: onQuestionTimeout }, 'a mapping with on_timeout')
    .partial()
    .prefault({})
    .meta({ examples: [{ on_timeout: 'fail' }] }),
  agent: chosenAgent.optional(),
  pipeline: pipelineName,
  critical: z
    .literal(true, { error: 'true: a task can be marked as critical, and never as less' })
    .optional()
    .meta({ examples: [true] }),
  gates: z
    .never({
      error:
        'no gates: only the configuration says what stops for a human; a task can be marked with `critical: true`',
    })
    .optional(),
  verifiers,
  approval: mapping(
    { mode, threshold, required, by: approvers, protected_paths: protectedPaths },
    'a mapping with any of mode, threshold, required, by and protected_paths',
  )
    .partial()
    .prefault({})
    .meta({ examples: [{ required: 2 }] }),
  limits: mapping(limitKeys, `a mapping with any of ${Object.keys(limitKeys).join(', ')}`)
    .prefault({})
    .meta({ examples: [{ minutes: 30 }] }),
};

export const overridesSchema = mapping(
  {
    ...overrideKeys,
    setup: z
      .never({
        error:
          'no setup, because the repository has a configuration, which says what is set up: remove it from the inputs of the workflow',
      })
      .optional(),
  },
  'a mapping of overrides',
).meta({ examples: [{ max_steering_iterations: 3 }] });

/** As checked, with every default. */
export type Overrides = z.output<typeof overridesSchema>;

/** For messages about what is wrong. */
export const overridesJsonSchema = jsonSchemaOf(overridesSchema);
