import type { z } from 'zod';
import { dailyLimits, type LimitName, limitNames } from '../../steering/limits.ts';
import { boundLimit, boundSandbox } from '../bounds.ts';
import { duration, wholeNumber } from '../quantities.ts';
import { ifAny, unless } from '../settled.ts';
import { lowered } from '../tightening.ts';
import { asked } from './approvers.ts';
import { flag, listOf, mapping, numberFrom, oneOf, textLike } from './forms.ts';
import { askLevel } from './questions.ts';

const maxIterations = wholeNumber(0, 50).meta({
  // 0 stands for the default, of a task for the setting of the repository.
  task: { ...lowered, as: 'max_steering_iterations', at: ['steering', 'max_iterations'], unset: 0 },
  title: 'Iterations',
  description: 'How often people may steer a run; 0 means the default.',
  examples: [5],
});

export const steering = mapping({
  max_iterations: maxIterations.default(5).transform((most) => most || 5),
  review_timeout: duration({ min: '1m', max: '90d' })
    .prefault('24h')
    .meta({
      title: 'Review timer',
      description:
        'How long a run waits for a human before it times out; any human command restarts the timer.',
      examples: ['24h'],
    }),
  ask_level: askLevel.optional(),
  while_working: oneOf(['queue', 'tell'])
    .default('queue')
    .meta({
      title: 'Steers while the agent works',
      description:
        'Whether a steer waits until the agent ends (`queue`), or is told to it at once, as with `--now` (`tell`). An agent that cannot be told is not stopped: the steer waits in the queue.',
      examples: ['tell'],
    })
    .transform(unless('queue')),
})
  .prefault({})
  .meta({ title: 'Steering', description: 'Limits on steering.', examples: [{ max_iterations: 8 }] });

export const attempts = mapping({
  max: wholeNumber(1, 20)
    .default(3)
    .meta({
      title: 'Attempts',
      description:
        'How many times the agent may try before a human is asked. A steer, /retry or /resume starts the count again.',
      examples: [3],
    }),
})
  .prefault({})
  .meta({ title: 'Attempts', description: 'How often the agent may try.', examples: [{ max: 3 }] });

export const waitForRateLimit = flag()
  .default(true)
  .meta({
    title: 'Rate limits',
    description:
      'Whether a run waits when its model has no more for now, and goes on by itself. With `false` the attempt fails, and says when there would be more.',
    examples: [false],
  })
  .transform(unless(true));

const askedError = 'a user such as "@ada", or a team such as "@acme/core"';

export const interrupts = mapping({
  ask: listOf(textLike(asked, askedError), 20, 'users and teams')
    .default([])
    .meta({
      title: 'Who is asked',
      description:
        'Users (in quotes: "@ada") and teams of the organization ("@acme/core") whom the pull request mentions when a run cannot go on without a human. With none, whoever asked for the run. Teams take the App.',
      examples: [['@ada', '@acme/core']],
    })
    .transform((names) => ifAny(names.map((name) => name.slice(1)))),
})
  .prefault({})
  .meta({
    title: 'Interrupts',
    description: 'What happens when a run cannot go on by itself.',
    examples: [{ ask: ['@ada'] }],
  })
  .transform(({ ask }) => ask && { ask });

const costError = 'an amount from 0.01 to 1000000';

/** A task may lower each, and the operator bounds it. */
const byName: Readonly<Record<LimitName, z.ZodNumber>> = {
  minutes: wholeNumber(1, 1440).meta({
    task: lowered,
    operator: boundLimit('minutes'),
    title: 'Minutes',
    description:
      'How long setup and the agent of one attempt may take together; verifiers have their own timeouts.',
    examples: [60],
  }),
  cost_usd: numberFrom(0.01, 1_000_000, costError).meta({
    task: lowered,
    operator: boundLimit('cost_usd'),
    title: 'Cost',
    description:
      'How much the models of all attempts of a run may cost together, in US dollars. Then a human is asked. By default there is no limit. A model whose price is not known costs nothing here.',
    examples: [5],
  }),
  tokens: wholeNumber(1, 1_000_000_000_000).meta({
    task: lowered,
    operator: boundLimit('tokens'),
    title: 'Tokens',
    description:
      'How many tokens of models all attempts of a run may use together. Then a human is asked. By default there is no limit.',
    examples: [2_000_000],
  }),
  tool_calls: wholeNumber(1, 100_000).meta({
    task: lowered,
    operator: boundLimit('tool_calls'),
    title: 'Tool calls',
    description:
      'How many tool calls an agent may make in one attempt, as far as it tells us: an agent with `use: command` tells of none. By default there is no limit.',
    examples: [500],
  }),
};

type Optional<Key extends string> = Record<Key, z.ZodOptional<z.ZodNumber>>;

/** Those of a worker profile, which only count where they are less than those of the configuration. */
export const profileLimits = keysFor(limitNames, (name) => [
  name,
  byName[name].meta({ ...byName[name].meta(), task: undefined, operator: undefined }).optional(),
]);

/** What an operator allows at most: to each run, and to all runs of a day together. */
export const operatorLimitKeys = {
  ...keysFor(limitNames, (name) => [
    name,
    byName[name].optional().meta({
      description: `The most that a repository may set as \`limits.${name}\`, which also holds where it sets none.`,
    }),
  ]),
  ...keysFor(dailyLimits, (name) => [
    `${name}_per_day`,
    byName[name].optional().meta({
      description: `The most that all runs of one data folder may use together in a day (UTC), as in \`limits.${name}\`.`,
    }),
  ]),
};

function keysFor<Name extends LimitName, Key extends string>(
  names: readonly Name[],
  keyOf: (name: Name) => readonly [Key, z.ZodOptional<z.ZodNumber>],
): Optional<Key> {
  return Object.fromEntries(names.map(keyOf)) as Optional<Key>; // one for each of the names
}

export const limits = mapping({
  ...keysFor(limitNames, (name) => [name, byName[name].optional()]),
  minutes: byName.minutes.default(60),
})
  .prefault({})
  .meta({ title: 'Limits', description: 'What a run may use.', examples: [{ minutes: 30 }] });

const labelError = 'a label of 1 to 50 characters that does not begin with `coxswain:`';

export const labels = mapping({
  trigger: textLike(/^(?!coxswain:)\S(?:[^\n\r]{0,48}\S)?$/, labelError)
    .default('coxswain')
    .meta({
      title: 'Trigger',
      description:
        'The label that starts a run when it is put on an issue. A change is noticed within a minute.',
      examples: ['coxswain'],
    }),
})
  .prefault({})
  .meta({ title: 'Labels', description: 'The names of labels.', examples: [{ trigger: 'coxswain' }] });

export const sandbox = oneOf(['required', 'preferred', 'off'])
  .optional()
  .meta({
    title: 'Sandbox',
    description:
      'Whether the agent, the setup commands and the verifiers run in a sandbox. `preferred` continues if no sandbox is available, with a warning in the log and on the pull request. The App allows only `required`, unless `COXSWAIN_SANDBOX` of its operator says less. The Action on a Linux runner of GitHub installs one, and `required` is then the default; elsewhere it is `preferred`.',
    operator: boundSandbox,
    examples: ['required'],
  })
  .transform((mode) => mode ?? 'preferred');
