import { z } from 'zod';
import { jsonSchemaOf } from './json-schema.ts';
import { agent, workerProfiles } from './schema/agent.ts';
import { approval } from './schema/approval.ts';
import { bases } from './schema/bases.ts';
import { mapping } from './schema/forms.ts';
import { gates } from './schema/gates.ts';
import { later } from './schema/later.ts';
import {
  attempts,
  interrupts,
  labels,
  limits,
  sandbox,
  steering,
  waitForRateLimit,
} from './schema/limits.ts';
import { network } from './schema/network.ts';
import { ci, otherBots, others } from './schema/others.ts';
import { permissions } from './schema/permissions.ts';
import { proof, tests, verifyAgainst } from './schema/proof.ts';
import { answers, questions } from './schema/questions.ts';
import { registries } from './schema/registries.ts';
import { pipelines, review, stages } from './schema/stages.ts';
import { setup, setupChanges, verifiers } from './schema/verifiers.ts';

/** The path of the configuration in a repository. Always read from the default branch. */
export const configPath = '.github/coxswain.yml';

/**
 * The configuration as people write it, with every default.
 * Error messages say what was expected; `problems.ts` adds the actual value, the line and an example.
 */
export const configSchema = mapping(
  {
    version: z
      .literal(1, { error: '1, the version of this format' })
      .meta({ description: 'The version of this format. The only required key.', examples: [1] }),
    agent: agent.optional(),
    agents: workerProfiles,
    stages,
    pipelines,
    review,
    setup,
    setup_changes: setupChanges,
    verifiers,
    verify_against: verifyAgainst,
    proof,
    tests,
    approval,
    steering,
    questions,
    answers,
    wait_for_rate_limit: waitForRateLimit,
    attempts,
    interrupts,
    limits,
    permissions,
    gates,
    labels,
    bases,
    others,
    other_bots: otherBots,
    ci,
    sandbox,
    network,
    registries,
    ...later,
  },
  'a mapping of keys, beginning with `version: 1`',
).meta({
  title: 'Coxswain',
  description: `How Coxswain works in this repository: ${configPath}, read from the default branch, for pull requests into any branch.`,
  examples: [{ version: 1 }],
});

export type Written = z.output<typeof configSchema>;

/** The schema for editors and for the reference; tests compare it with both. */
export const publishedSchema = jsonSchemaOf(configSchema);
