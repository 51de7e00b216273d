import { z } from 'zod';
import {
  gateRuleNames,
  severities,
  type TunableRule,
  tunableRuleNames,
} from '../../steering/shapes/gate-rules.ts';
import { isPathGlob } from '../../text/globs.ts';
import { PatternProblem, patternFrom } from '../../text/pattern/pattern.ts';
import { boundRule } from './operator-bounds.ts';
import {
  expectedGlob,
  key,
  listOf,
  mapping,
  oneOf,
  section,
  textLike,
  textOf,
  unique,
} from './schema-forms.ts';
import { orMeant } from './suggestion.ts';

function severity() {
  return oneOf(severities);
}

const nameError = 'a name of small letters, digits and hyphens, 2 to 50 characters, such as "asks-legal"';

const ownName = textLike(/^[a-z](?:[a-z0-9-]{0,48}[a-z0-9])$/, nameError)
  .refine((name) => !gateRuleNames.some((rule) => rule === name), {
    error: ({ input }) =>
      `a name of its own: ${input} is one of our rules, which \`severity\` and \`off\` are about`,
  })
  .meta({ description: 'A name that no other rule has.', examples: ['deploys'] });

const commandError =
  'the words that a command begins with, such as "deploy prod": at most 10, separated by spaces, without quotes and signs of the shell';

const command = textOf(0, 200, commandError)
  .regex(/^[ ]*[^\s"'`\\$;&|<>()#-][^\s"'`\\$;&|<>()]*(?:[ ]+[^\s"'`\\$;&|<>()]+){0,9}[ ]*$/, {
    error: commandError,
  })
  .transform((words) => words.trim().split(/\s+/));

const globError =
  'a glob of at most 200 characters such as "billing/**" or "*.proto": `*` is any text without `/`, `**` any folders, `?` one character, `{a,b}` one of few texts; without a slash at the beginning, `!` and `[ ]`';

const glob = textOf(0, 200, globError).refine(isPathGlob, {
  error: ({ input }) => expectedGlob(input, globError),
});

const contentError = 'a regular expression of at most 300 characters such as "\\bfeature_flags?\\b"';

const content = textOf(1, 300, contentError).superRefine((text, context) => {
  const problem = problemOf(text);
  if (problem !== undefined) {
    context.addIssue({
      code: 'custom',
      message: `a regular expression that takes linear time: ${problem}`,
    });
  }
});

/** Says what is wrong with a pattern; one that matches everywhere says nothing. */
function problemOf(text: string): string | undefined {
  try {
    return patternFrom(text).isIn('') ? 'one that does not match an empty line' : undefined;
  } catch (problem) {
    if (problem instanceof PatternProblem) return problem.message;
    throw problem;
  }
}

const ownRule = mapping(
  {
    name: ownName,
    command: key(command.optional(), {
      title: 'Command',
      description:
        'Words that a command begins with, also behind `sudo`, `env A=b`, `sh -c` and the like; options in between do not matter. `*` in a word is any text. Matches what an agent runs, and what a change adds to scripts.',
      examples: ['deploy prod'],
    }),
    path: key(glob.optional(), {
      title: 'Files',
      description: 'A glob of changed files. A renamed file counts with both names.',
      examples: ['billing/**'],
    }),
    content: key(content.optional(), {
      description:
        'A regular expression for added lines. `(?i)` at the beginning ignores case. Without lookahead, lookbehind and references, which can take exponential time.',
      examples: ['\\bDO NOT MERGE\\b'],
    }),
    severity: key(severity().default('high'), {
      description:
        'How bad it is. Work that hits a `critical` rule is not pushed before a maintainer allows it.',
      examples: ['critical'],
    }),
  },
  'a mapping with `name`, and `command`, `path` or `content`',
).superRefine((rule, context) => {
  const given = [rule.command, rule.path, rule.content].filter((each) => each !== undefined);
  if (given.length === 1) return;
  const message = 'exactly one of `command`, `path` and `content`: write one rule for each';
  context.addIssue({ code: 'custom', message });
});

const rules = listOf(ownRule, 50, 'rules')
  .superRefine(
    unique(
      'name',
      ({ name }) => name,
      (first) => `a unique name: rules[${first}] has the same one`,
    ),
  )
  .prefault([])
  .meta({
    title: 'Own rules',
    description: 'Rules besides ours: what they match stops for a human, whatever the confidence.',
    examples: [[{ name: 'deploys', command: 'deploy prod', severity: 'critical' }]],
  });

const tuned = section(
  // The keys are the names of the rules.
  Object.fromEntries(
    tunableRuleNames.map((rule) => [
      rule,
      key(severity().optional(), { description: `The severity of \`${rule}\`.`, examples: ['critical'] }),
    ]),
  ) as Record<TunableRule, z.ZodOptional<ReturnType<typeof severity>>>,
  'a mapping from rules to low, medium, high or critical',
).meta({
  title: 'Severity of rules',
  description:
    'How bad it is here what our rules find. Work that touches secrets is kept off the remote at any severity.',
  examples: [{ 'installs-system-packages': 'high' }],
});

const ruleError = `one of ${tunableRuleNames.join(', ')}`;

const switchedOff = mapping(
  {
    rule: z
      .string({ error: ruleError })
      .superRefine((name, context) => {
        if (tunableRuleNames.some((rule) => rule === name)) return;
        context.addIssue({ code: 'custom', message: orMeant(name, tunableRuleNames) });
      })
      .meta({
        description: 'Which of our rules.',
        examples: ['installs-system-packages'],
        operator: boundRule,
      }),
    reason: z
      .string({ error: reasonError() })
      .trim()
      .min(5, { error: reasonError() })
      .max(300, { error: reasonError() })
      .meta({
        description: 'Why it does not stop anything here: shown with every check, and recorded.',
        examples: ['this repository builds images, and installs packages all day'],
      }),
  },
  'a mapping with `rule` and `reason`',
);

function reasonError(): string {
  return 'a reason of 5 to 300 characters, which is shown wherever the rule would have stopped somebody';
}

const off = z
  .array(switchedOff, { error: 'a list of rules, each with `rule` and `reason`' })
  .max(tunableRuleNames.length, { error: `at most ${tunableRuleNames.length} rules, each once` })
  .superRefine(
    unique(
      'rule',
      ({ rule }) => rule,
      (first) => `each rule once: off[${first}] has it`,
    ),
  )
  .prefault([])
  .meta({
    title: 'Switched off',
    description: 'Rules of ours that stop nothing here. The reason is required.',
    examples: [[{ rule: 'installs-system-packages', reason: 'this repository builds images' }]],
  });

const clusterError = 'the name of a context, as kubectl knows it';

const safeClusters = listOf(textLike(/^[^\s\p{C}]{1,200}$/u, clusterError), 50, 'contexts')
  .prefault([])
  .meta({
    description:
      'Contexts of clusters that are not production: `changes-production` spares commands that name one with `--context` or `--kube-context`.',
    examples: [['kind-test']],
  });

const criticalPaths = key(listOf(glob, 50, 'globs').prefault([]), {
  description: 'Globs of files that are critical whatever changes in them: rule `critical-task`.',
  examples: [['billing/**']],
});

export const gates = section({
  rules,
  severity: tuned,
  off,
  safe_clusters: safeClusters,
  critical_paths: criticalPaths,
})
  .meta({
    description:
      'What stops for a human whatever the confidence: rules besides ours, and what to make of ours.',
    examples: [{ critical_paths: ['billing/**'] }],
  })
  .transform((gates) => {
    const lists = Object.values(gates).map((each) => (Array.isArray(each) ? each : Object.keys(each)));
    return lists.every((list) => list.length === 0) ? undefined : gates;
  });
