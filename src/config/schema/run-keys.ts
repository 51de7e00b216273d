import { z } from 'zod';
import { announcedEvents, usualEvents } from '../../steering/shapes/announced-events.ts';
import { type CallRule, callRuleNames } from '../../steering/shapes/gate-rules.ts';
import { onNoAnswer } from '../../steering/shapes/question.ts';
import type { Approver } from '../../steering/shapes/settings.ts';
import { answerers, asked } from './approval-keys.ts';
import { boundSandbox, boundTarget } from './operator-bounds.ts';
import {
  duration,
  flag,
  ifAny,
  key,
  listOf,
  lowerName,
  mapping,
  notHere,
  oneOf,
  section,
  textLike,
  unique,
  unless,
  wholeNumber,
} from './schema-forms.ts';
import { orMeant } from './suggestion.ts';
import { free, lowered, stricter } from './tightening.ts';

const askLevel = key(wholeNumber(0, 5), {
  task: { ...free, as: 'ask_level', at: ['questions', 'ask_level'] },
  title: 'How much to ask',
  description:
    'How readily the agent asks: from 0 (only if it is impossible to go on) to 5 (every real choice). The default is 2. `steering.ask_level` and `questions.ask_level` are the same.',
  examples: [2],
});

const maxIterations = key(wholeNumber(0, 50), {
  // 0 stands for the default, of a task for the setting of the repository.
  task: { ...lowered, as: 'max_steering_iterations', at: ['steering', 'max_iterations'], unset: 0 },
  title: 'Iterations',
  description: 'How often people may steer a run; 0 means the default.',
  examples: [5],
});

const askedError = 'a user such as "@ada", or a team such as "@acme/core"';

const onTimeout = key(oneOf(onNoAnswer), {
  task: stricter(onNoAnswer),
  title: 'When nobody answers',
  description:
    'What happens after `timeout`: the run times out and can be answered later (`block`), the agent continues with the default that it named (`default`), or people decide how to continue (`fail`). An agent may ask for something stricter.',
  examples: ['block'],
});

function isUsual([first, ...others]: readonly Approver[]): boolean {
  return first !== undefined && 'role' in first && first.role === 'write' && others.length === 0;
}

const answer = oneOf(['allow', 'ask', 'deny']);

function permit(what: string) {
  return key(answer.default('allow'), {
    description: `Tool calls that ${what}. Where gate rules match, the strictest answer counts.`,
    examples: ['ask'],
  });
}

function ruled(rule: string) {
  return key(answer.optional(), {
    description: `Tool calls that the rule \`${rule}\` matches.`,
    examples: ['deny'],
  });
}

const permittedRules = z
  .object(
    Object.fromEntries(callRuleNames.map((rule) => [rule, ruled(rule)])) as Record<
      CallRule,
      ReturnType<typeof ruled>
    >,
    {
      error: 'a mapping of gate rules',
    },
  )
  // Rules of the repository's own; the names are checked when the whole is read.
  .catchall(answer)
  .prefault({})
  .meta({
    title: 'Permissions by gate rule',
    description:
      'For tool calls that a gate rule matches. By default a human is asked; in a sandbox, what stays within the workspace is allowed, and judged by the diff. With the answer for the kind of call, the stricter one counts. Rules of your own with a `command` can be named here, too.',
    examples: [{ 'touches-secrets': 'deny' }],
  });

export const permissions = section({
  edit: permit('edit files'),
  delete: permit('delete files'),
  move: permit('move files'),
  execute: permit('run commands, or do anything else but look (read, search, think and fetch are allowed)'),
  rules: permittedRules,
  hold: key(duration({ min: '1s', max: '1h' }).prefault('2m'), {
    description:
      'How long an agent is held for a human to allow a tool call. Then it is parked, and continues once someone decides. Its time limit is suspended meanwhile.',
    examples: ['2m'],
  }),
}).meta({
  description: 'What agents that ask first may do: `allow`, `ask` (a human) or `deny`.',
  examples: [{ execute: 'ask' }],
});

const labelError = 'a label of 1 to 50 characters that does not begin with `coxswain:`';

export const labels = section({
  trigger: key(textLike(/^(?!coxswain:)\S(?:[^\n\r]{0,48}\S)?$/, labelError).default('coxswain'), {
    description:
      'The label that starts a run when it is put on an issue. A change is noticed within a minute.',
    examples: ['coxswain'],
  }),
}).meta({ description: 'The names of labels.', examples: [{ trigger: 'coxswain' }] });

const botError = 'the login of a bot, such as "dependabot[bot]", in quotes';

/** How a run goes on between people and agent. */
export const runKeys = {
  steering: section({
    max_iterations: maxIterations.default(5).transform((most) => most || 5),
    review_timeout: key(duration({ min: '1m', max: '90d' }).prefault('24h'), {
      title: 'Review timer',
      description:
        'How long a run waits for a human before it times out; any human command restarts the timer.',
      examples: ['24h'],
    }),
    ask_level: askLevel.optional(),
    while_working: key(oneOf(['queue', 'tell']).default('queue'), {
      title: 'Steers while the agent works',
      description:
        'Whether a steer waits until the agent ends (`queue`), or is told to it at once, as with `--now` (`tell`). An agent that cannot be told is not stopped: the steer waits in the queue.',
      examples: ['tell'],
    }).transform(unless('queue')),
  }).meta({ description: 'Limits on steering.', examples: [{ max_iterations: 8 }] }),
  questions: section({
    enabled: key(flag().default(true), {
      description: 'Whether agents are given a way to ask people.',
      examples: [false],
    }),
    ask_level: askLevel.optional(),
    timeout: key(duration({ min: '1m', max: '90d' }).prefault('7d'), {
      description: 'How long a question waits for an answer.',
      examples: ['3d'],
    }),
    on_timeout: onTimeout.default('block'),
  }).meta({
    description: 'What agents may ask people, and how long they wait.',
    examples: [{ ask_level: 3 }],
  }),
  answers: key(section({ by: answerers.prefault(['write']) }), {
    description: 'Who answers questions of agents.',
    examples: [{ by: ['triage'] }],
  }).transform(({ by }) => (isUsual(by) ? undefined : { by })),
  wait_for_rate_limit: key(flag().default(true), {
    title: 'Rate limits',
    description:
      'Whether a run waits when its model has hit its usage limit, and continues automatically. With `false` the attempt fails, and says when the limit resets.',
    examples: [false],
  }).transform(unless(true)),
  attempts: section({
    max: key(wholeNumber(1, 20).default(3), {
      title: 'Attempts',
      description:
        'How many times the agent may try before a human is asked. A steer, /retry or /resume starts the count again.',
      examples: [3],
    }),
  }).meta({ title: 'Attempts', description: 'How often the agent may try.', examples: [{ max: 3 }] }),
  interrupts: section({
    ask: key(listOf(textLike(asked, askedError), 20, 'users and teams').default([]), {
      title: 'Who is asked',
      description:
        'Users (in quotes: "@ada") and teams of the organization ("@acme/core") whom the pull request mentions when a run cannot continue without a human. With none, whoever asked for the run. Teams take the App.',
      examples: [['@ada', '@acme/core']],
    }).transform((names) => ifAny(names.map((name) => name.slice(1)))),
  })
    .meta({
      description: 'What happens when a run cannot continue by itself.',
      examples: [{ ask: ['@ada'] }],
    })
    .transform(({ ask }) => ask && { ask }),
};

/** These keys are about the repository, and the machine that it is worked on. */
export const hostKeys = {
  others: key(oneOf(['none', 'pass']).default('none'), {
    title: 'Other pull requests',
    description:
      'What pull requests that are not runs get. With `none`, nothing: where a rule requires the check, only runs can be merged, and `/run` makes one of any other pull request. With `pass`, pull requests of people and of `other_bots` get a successful check "Not a run": then the check is about the work of agents, not of people. One with a commit that was ever the head of a run never gets it. The App only.',
    examples: ['pass'],
  }),
  other_bots: listOf(textLike(/^[A-Za-z0-9][A-Za-z0-9-]{0,98}\[bot\]$/, botError), 50, 'bots')
    .default([])
    .meta({
      description: 'Bots whose pull requests `others: pass` lets through like those of people.',
      examples: [['dependabot[bot]']],
    })
    .transform((logins) => logins.map((login) => login.toLowerCase())),
  ci: key(oneOf(['at_once', 'after_look']).default('at_once'), {
    title: "The repository's own CI",
    description:
      'When the workflows of the repository may run what an agent wrote: with `at_once` on every push; with `after_look`, commits are pushed with `skip-checks: true` until someone with write access uses `/verify --ci`. Whoever squashes them by hand should remove that line from the message, or no workflow runs on the base.',
    examples: ['after_look'],
  }),
  commits: section({
    sign: key(oneOf(['github', 'off']).optional(), {
      title: 'Signed commits',
      description:
        'Whether GitHub signs the commits that Coxswain pushes, in the name of the App (`github`), or they are unsigned (`off`). Without this key, GitHub signs them where a rule of the branch or of the base demands it.',
      examples: ['github'],
    }),
    disclose: key(oneOf(['assisted-by', 'none']).default('none'), {
      title: 'Disclosure',
      description:
        'Whether commits name the agent and its model in a trailer, such as `Assisted-by: Claude Code:claude-opus-4-8`, as some projects demand.',
      examples: ['assisted-by'],
    }).transform(unless('none')),
  })
    .meta({ description: 'How commits are made.', examples: [{ sign: 'github' }] })
    .transform((commits) =>
      Object.values(commits).every((each) => each === undefined) ? undefined : commits,
    ),
  sandbox: key(oneOf(['required', 'preferred', 'off']).optional(), {
    description:
      'Whether the agent, the setup commands and the verifiers run in a sandbox. `preferred` continues if no sandbox is available, with a warning in the log and on the pull request. The App allows only `required`, unless `COXSWAIN_SANDBOX` of its operator says less. The Action on a Linux runner of GitHub installs one, and `required` is then the default; elsewhere it is `preferred`.',
    operator: boundSandbox,
    examples: ['required'],
  }).transform((mode) => mode ?? 'preferred'),
};

const where =
  "the operator's file of the App, or the input `notify` of the Action, says where a target is: a repository that could name an address or a variable could have secrets of the environment sent anywhere";

function notInRepository(name: string) {
  return key(notHere(`no ${name}, because ${where}`), {
    title: 'Not here',
    description: `Not here: ${where}.`,
  });
}

const target = mapping(
  {
    to: key(textLike(lowerName, 'the name of a target of the operator, such as builds'), {
      title: 'Target',
      description: 'A target, by the name that it has with the operator.',
      examples: ['builds'],
    }),
    events: key(
      listOf(
        z.enum(announcedEvents, { error: ({ input }) => orMeant(String(input), announcedEvents) }),
        announcedEvents.length,
        'events',
      )
        .min(1, { error: 'at least one event' })
        .default([...usualEvents]),
      {
        description: `What it is told: any of ${announcedEvents.map((event) => `\`${event}\``).join(', ')}.`,
        examples: [['approval_requested', 'run_finished']],
      },
    ),
    url: notInRepository('url'),
    url_env: notInRepository('url_env'),
  },
  'the name of a target, or a mapping with `to` and `events`',
).meta({
  short: 'string',
  long: (written) => (typeof written === 'string' ? { to: written } : written),
  operator: boundTarget,
});

/** Whom of the operator's targets runs notify. */
export const notify = key(
  listOf(target, 20, 'targets', 'a list of names of targets, or of mappings with `to` and `events`')
    .superRefine(
      unique(
        'to',
        ({ to }) => to,
        (first) => `another target than notify[${first}]; one entry has all its events`,
      ),
    )
    .prefault([]),
  {
    title: 'Notifications',
    description:
      'Where people are told what happens to runs: targets of the operator, such as channels of Slack or Teams, by their names. The name of one is enough.',
    examples: [['builds', { to: 'releases', events: ['run_finished'] }]],
  },
).transform((listed) => ifAny(listed.map(({ to, events }) => ({ to, events }))));
