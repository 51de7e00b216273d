import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { z } from 'zod';
import { expression } from './expression.ts';

/** The files of this repository that people copy and GitHub reads. */

const input = z.strictObject({
  description: z.string().min(1),
  required: z.boolean().default(false),
  default: z.string().optional(),
});

/** The part of an action's metadata that ours uses. */
const definition = z.strictObject({
  name: z.string(),
  description: z.string(),
  author: z.string(),
  branding: z.strictObject({ icon: z.string(), color: z.string() }),
  inputs: z.record(z.string(), input),
  outputs: z.record(z.string(), z.strictObject({ description: z.string().min(1) })),
  runs: z.strictObject({ using: z.literal('node24'), main: z.string() }),
});

const step = z.strictObject({ uses: z.string(), with: z.record(z.string(), z.string()).default({}) });

const workflow = z.strictObject({
  name: z.string(),
  on: z
    .object({
      workflow_dispatch: z.strictObject({
        inputs: z.record(z.string(), z.object({ description: z.string() })),
      }),
      schedule: z.array(z.strictObject({ cron: z.string() })),
    })
    .and(z.record(z.string(), z.unknown())),
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  concurrency: z.strictObject({ group: z.string(), queue: z.literal('max') }).optional(),
  jobs: z.strictObject({
    coxswain: z.strictObject({
      if: z.string(),
      'runs-on': z.string(),
      'timeout-minutes': z.number(),
      steps: z.array(step).length(1),
    }),
  }),
});

export const action = definition.parse(load(textOf('action.yml')));
export const exampleText = textOf('examples/coxswain.yml');
export const example = workflow.parse(load(exampleText));

/** The permissions of the example, with the names of the API. */
export const permissions = Object.fromEntries(
  Object.entries(example.permissions).map(([name, level]) => [name.replace('-', '_'), level]),
);

export interface GitHubEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The part of any workflow of ours that says when it has a job. */
const triggering = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: workflow.shape.permissions,
  jobs: z.object({ coxswain: z.object({ if: z.string() }) }),
});

/** One of the examples that people copy. */
export type Example = 'coxswain' | 'claude' | 'codex';

const examples = {
  coxswain: triggeringOf('coxswain'),
  claude: triggeringOf('claude'),
  codex: triggeringOf('codex'),
};

function triggeringOf(name: Example) {
  return triggering.parse(load(textOf(`examples/${name}.yml`)));
}

const about = z.object({ repository: z.object({ full_name: z.string() }) });

/** Whether the workflow of an example has a job for this event. */
export function startsJob({ name, payload }: GitHubEvent, of: Example = 'coxswain'): boolean {
  const { on, jobs } = examples[of];
  const trigger = on[name];
  if (trigger === undefined) return false;
  const types = z.object({ types: z.array(z.string()) }).safeParse(trigger);
  if (types.success && !types.data.types.includes(String(payload['action']))) return false;
  const { full_name: repository } = about.parse(payload).repository;
  return Boolean(expression(jobs.coxswain.if, { event_name: name, event: payload, repository }));
}

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}
