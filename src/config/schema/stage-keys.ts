import { z } from 'zod';
import { agentUses } from '../../profiles/index.ts';
import { longAgent } from './agent-keys.ts';
import { isMapping, valueAt } from './document.ts';
import {
  flag,
  key,
  listOf,
  lowerName,
  mapping,
  oneOf,
  type Settled,
  textLike,
  unique,
  wholeNumber,
  wordsOf,
} from './schema-forms.ts';
import { shellCommand } from './verifier-keys.ts';

const nameError = 'a name of small letters, digits, - and _, at most 40, that begins with a letter';

const agentReference = mapping(
  {
    use: key(textLike(lowerName, `an agent: ${agentUses.join(', ')}, or a name under \`agents\``), {
      description: 'The name of the agent.',
      examples: ['careful'],
    }),
  },
  'the name of an agent',
)
  .meta({
    description: 'An agent by its name, or one of those under `agents`. By default the agent of the run.',
    examples: [{ use: 'claude' }],
    short: 'string',
    long: longAgent,
  })
  .transform(({ use }) => use);

const maxInstructions = 4_000;
const textError = `a text of 1 to ${maxInstructions} characters, or {file: a path on the default branch}`;
const pathError = 'a path inside this repository, such as .github/plan.md';
const path = textLike(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w./ -]{1,200}$/, pathError);

const instructions = mapping(
  {
    text: wordsOf(maxInstructions, textError).meta({
      description: 'The text itself.',
      examples: ['Write the tests only.'],
    }),
    file: key(path, { description: 'A file of the default branch.', examples: ['.github/plan.md'] }),
  },
  textError,
)
  .partial()
  .refine(({ text, file }) => (text === undefined) !== (file === undefined), { error: textError })
  .transform(({ text, file = '' }) => text ?? { file })
  .optional()
  .meta({
    description:
      'What the agent of this stage is told besides the task: a text, or a file of the default branch.',
    examples: [{ file: '.github/plan.md' }],
    short: 'string',
    long: (written) => (typeof written === 'string' ? { text: written } : written),
  });

const checkError = '{file: a path that has to be there} or {run: a shell command}';

const check = mapping(
  {
    file: key(path.optional(), { description: 'A file that the stage has to leave.', examples: ['PLAN.md'] }),
    run: key(shellCommand.optional(), {
      description: 'A shell command, run in the working tree when the agent has finished.',
      examples: ['npm run lint'],
    }),
    expect: key(oneOf(['pass', 'fail']).default('pass'), {
      description:
        'How the command has to end: `fail` is for tests that are to be red before the code is there.',
      examples: ['fail'],
    }),
  },
  checkError,
)
  .refine(({ file, run }) => (file === undefined) !== (run === undefined), { error: checkError })
  .transform(({ file, run = '', expect }) => (file === undefined ? { run, expect } : { file }));

const checks = key(listOf(check, 10, 'checks', `none, ${checkError}, or a list of them`).prefault([]), {
  description:
    'What has to hold for the result of the stage, in order; the first check that does not hold ends the attempt. The verifiers of the repository come after the last stage, whatever is checked here.',
  examples: [[{ file: 'PLAN.md' }]],
  short: ['object', 'string'],
  long: (written) => (written === 'none' ? [] : isMapping(written) ? [written] : written),
});

const stage = mapping(
  {
    name: key(textLike(lowerName, nameError), {
      description:
        'A unique name. `plan` writes a plan and changes no file, `review` is the second opinion, any other works; work whose verifiers fail goes back to `implement`.',
      examples: ['implement'],
    }),
    instructions,
    agent: agentReference.optional(),
    check: checks,
    retries: key(wholeNumber(0, 9).optional(), {
      description:
        'How often this stage is tried again before people are asked; never more than `attempts.max` allows.',
      examples: [1],
    }),
    approve: key(flag().default(false), {
      description:
        'Whether people see the result of the stage before the next one begins; after the last one, whether they approve the work in any mode.',
      examples: [true],
    }),
  },
  'the name of a stage, or a mapping with its name',
).meta({
  examples: [{ name: 'implement' }],
  short: 'string',
  long: (written) => (typeof written === 'string' ? { name: written } : written),
});

export type ReadStage = Settled<z.output<typeof stage>>;

const pipelineError =
  'a list of stages, or the name of a pipeline: implement, plan-first, reviewed, or one under `pipelines`';

const pipeline = listOf(stage, 10, 'stages', pipelineError)
  .min(1, { error: 'at least one stage' })
  .superRefine(
    unique(
      'name',
      ({ name }) => name,
      (first) => `a name that stage ${first + 1} does not have`,
    ),
  )
  .superRefine((stages, context) => {
    const report = (index: number, message: string) =>
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    const working = stages.findLastIndex(({ name }) => name !== 'review');
    for (const [index, { name, approve, check }] of stages.entries()) {
      if (name === 'plan' && index === working) report(index, 'a stage after plan, which changes no file');
      if (name !== 'review') continue;
      if (index !== stages.length - 1)
        report(index, 'review as the last stage: it comes after the verifiers');
      if (approve || check.length > 0) report(index, 'a review without check and approve');
    }
    if (working === -1) report(0, 'a stage that works, such as implement, before review');
  });

/** Every configuration can name these pipelines, in place of a list of stages. */
export const shippedStages: Readonly<
  Record<string, readonly { readonly name: string; readonly approve?: boolean }[]>
> = {
  implement: [{ name: 'implement' }],
  'plan-first': [{ name: 'plan', approve: true }, { name: 'implement' }],
  reviewed: [{ name: 'implement' }, { name: 'review' }],
};

/** The stages of a pipeline by its name; the name itself if there is none. */
function stagesNamed(name: string, document: unknown): unknown {
  const own = valueAt(document, ['pipelines', name]);
  return own ?? (Object.hasOwn(shippedStages, name) ? shippedStages[name] : name);
}

/** A task chooses a pipeline by its name. */
export const pipelineName = key(textLike(lowerName, nameError).optional(), { examples: ['plan-first'] });

function longReview(written: unknown): unknown {
  if (written === 'none') return undefined;
  return typeof written === 'string' ? { agent: written } : written;
}

/** These keys say which stages an attempt consists of. */
export const stageKeys = {
  stages: key(pipeline.optional(), {
    description:
      'The stages of an attempt, in order: a list of names or mappings, each a session of its own that goes on from the commit of the one before; or the name of a pipeline: `implement`, the only stage by default; `plan-first`, where people approve a plan before the work begins; `reviewed`, with a second opinion; or one under `pipelines`.',
    examples: ['plan-first'],
    short: 'string',
    long: (written, document) => (typeof written === 'string' ? stagesNamed(written, document) : written),
  }),
  pipelines: z
    .record(textLike(lowerName, nameError), pipeline, {
      error: ({ code }) =>
        code === 'invalid_key' ? nameError : 'a mapping of names, each with a list of stages',
    })
    .refine((listed) => Object.keys(listed).length <= 20, { error: 'at most 20 pipelines' })
    .prefault({})
    .meta({
      description:
        'Lists of stages by name. A task can choose one with `pipeline`, if people approve in it what they approve in `stages`.',
      examples: [{ careful: ['plan', 'implement', 'review'] }],
    }),
  review: mapping({ agent: agentReference }, 'a mapping with the agent that reviews')
    .optional()
    .meta({
      title: 'Second opinion',
      description:
        'Once the verifiers have passed, this agent reads the change in a session of its own and says how sure it is and what concerns it. It cannot change anything. An agent by its name is enough; `none` is the default.',
      examples: [{ agent: { use: 'claude' } }],
      short: 'string',
      long: longReview,
    }),
};
