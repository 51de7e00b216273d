import { z } from 'zod';
import { agentUses, profileNames, profiles } from '../../profiles/index.ts';
import type { NamedProfile } from '../../profiles/profile.ts';
import { profileLimits } from './limit-keys.ts';
import { boundAgent } from './operator-bounds.ts';
import {
  type Duration,
  duration,
  durationText,
  key,
  listOf,
  lowerName,
  mapping,
  oneOf,
  section,
  textLike,
  wordsOf,
} from './schema-forms.ts';
import { suggestionFor } from './suggestion.ts';
import type { Tightening } from './tightening.ts';

const timeout = duration({ min: '1s', max: '24h' });

const timeoutMeta = {
  title: 'Time limit',
  description: 'How long one execution of the agent may take.',
  examples: ['30m'],
};

const argument = z
  .string({ error: 'an argument of the command, as text' })
  .min(1, { error: 'an argument that is not empty' });

const commandLine = listOf(argument, 100, 'arguments', 'a list: the program, then its arguments').min(1, {
  error: 'a list with at least the program',
});

const command = {
  use: key(z.literal('command'), {
    description: 'Any program that reads the prompt and edits files.',
    examples: ['command'],
  }),
  command: key(commandLine, {
    title: 'Command',
    description:
      'With `use: command`: the program and its arguments, started without a shell in the workspace. It gets the prompt on stdin.',
    examples: [['node', 'tools/agent.mjs']],
  }),
};

const scripted = {
  use: key(z.literal('scripted'), {
    description: 'Plays a script instead of running an agent, for demos.',
    examples: ['scripted'],
  }),
  script: z
    .string({ error: 'the path of a script in this repository' })
    .regex(/^(?![./])(?!.*(?:^|\/)\.\.(?:\/|$))[\w./-]{1,200}$/, { error: 'a path inside this repository' })
    .meta({
      description: 'With `use: scripted`: the script, read from the default branch.',
      examples: ['tools/agent.yml'],
    }),
};

const modelError = 'the name of a model, such as sonnet';

const model = key(textLike(/^[\w.:/@+-]{1,200}$/, modelError).optional(), {
  description: 'The model, by the name that the agent knows it by. By default the agent chooses.',
  examples: ['sonnet'],
});

const effort = key(oneOf(['low', 'medium', 'high']).optional(), {
  description: 'How much the model thinks, where the agent can be told.',
  examples: ['medium'],
});

const skillError = 'a path inside this repository, such as .agents/skills/release';

const skills = listOf(
  textLike(/^(?!\/)(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w./-]{1,200}$/, skillError),
  20,
  'skills',
  'a list of paths',
)
  .optional()
  .meta({
    description:
      'Files, or folders with a `SKILL.md`, of the default branch, which the agent is told about and can read.',
    examples: [['.agents/skills/release']],
  });

const serverError = 'a mapping of name and command';
const serverNameError = 'a name of letters, digits, - and _, at most 40';

const mcp = listOf(
  mapping(
    {
      name: key(textLike(/^[A-Za-z0-9_-]{1,40}$/, serverNameError), {
        description: 'A unique name.',
        examples: ['docs'],
      }),
      command: key(commandLine, {
        description: 'The program and its arguments. It runs in the sandbox of the agent.',
        examples: [['node', 'tools/docs-server.mjs']],
      }),
    },
    serverError,
  ),
  10,
  'servers',
)
  .refine((servers) => new Set(servers.map(({ name }) => name)).size === servers.length, {
    error: 'names that are unique',
  })
  .optional()
  .meta({
    title: 'MCP',
    description: 'Servers of the Model Context Protocol for the agent, besides which it gets none.',
    examples: [[{ name: 'docs', command: ['node', 'tools/docs-server.mjs'] }]],
  });

const acp = {
  use: key(z.literal('acp'), {
    description: 'Any program that speaks the Agent Client Protocol on its standard streams.',
    examples: ['acp'],
  }),
  command: key(commandLine, {
    title: 'Command',
    description: 'With `use: acp`: the program and its arguments, started without a shell in the workspace.',
    examples: [['goose', 'acp']],
  }),
  skills,
  mcp,
};

/** The keys of an agent that is known by name. */
export function keysOf<Name extends string>(name: Name, { title, takes }: NamedProfile) {
  return {
    use: key(z.literal(name), { description: `${title} (docs/agents.md).`, examples: [name] }),
    model: takes.model ? model : unable(title, 'a model'),
    effort: takes.effort ? effort : unable(title, 'an effort'),
    skills,
    mcp,
  };
}

/** A key that this agent has no use for: ignoring it would mislead. */
function unable(title: string, what: string) {
  return key(z.never({ error: `no such key; ${title} cannot be told ${what} by us` }).optional(), {
    description: `${title} cannot be told ${what} by us.`,
  });
}

/** The agent that was probably meant comes first. */
function agentsLike(input: unknown): string {
  const { use } = typeof input === 'object' && input !== null && 'use' in input ? input : { use: undefined };
  const meant = typeof use === 'string' ? suggestionFor(use, agentUses) : undefined;
  return meant === undefined ? 'an agent' : `${meant} (did you mean that?), or another agent`;
}

/** Describes every agent that we know, each with these keys besides its own. */
function agentWith<Rest extends z.ZodRawShape>(rest: Rest) {
  const ofCommand = z.strictObject({ ...command, ...rest });
  const ofScript = z.strictObject({ ...scripted, ...rest });
  const ofProtocol = z.strictObject({ ...acp, ...rest });
  const ofProfiles = profileNames.map((name) => z.strictObject({ ...keysOf(name, profiles[name]), ...rest }));
  return z.discriminatedUnion('use', [ofCommand, ofScript, ofProtocol, ...ofProfiles], {
    error: ({ input }) => `${agentsLike(input)}: ${agentUses.join(', ')}`,
  });
}

/** `agent: codex` is short for `agent: {use: codex}`. */
const usual = { short: profileNames, long: longAgent, operator: boundAgent };

export function longAgent(written: unknown): unknown {
  return typeof written === 'string' ? { use: written } : written;
}

export const agent = key(agentWith({ timeout: timeout.prefault('30m').meta(timeoutMeta) }), {
  description:
    'The agent that does the work; its name is enough, as in `agent: claude`. Optional if the operator of the App has set a default.',
  examples: [{ use: 'claude', model: 'sonnet' }],
  ...usual,
});

/** No more than the agent of the repository has. */
const lessTime: Tightening = {
  expected: ({ seconds }: Duration, _, { agent: { timeout_s: now } }) =>
    seconds > now ? `at most ${durationText(now)}, the repository's own` : undefined,
  applied: ({ seconds: timeout_s }: Duration, settings) => ({
    ...settings,
    agent: { ...settings.agent, timeout_s },
  }),
};

/** Chosen for a task: where it has no time limit, the configuration's holds. */
export const chosenAgent = agentWith({
  timeout: key(timeout.optional(), { ...timeoutMeta, task: lessTime }),
}).meta({
  examples: [{ use: 'claude', model: 'sonnet' }],
  ...usual,
});

const longestInstructions = 4_000;
const instructionsError = `text of 1 to ${longestInstructions} characters`;

/** An agent for some tasks, which name it; without a time limit it has that of `agent`. */
const workerProfile = agentWith({
  timeout: timeout.optional().meta(timeoutMeta),
  instructions: wordsOf(longestInstructions, instructionsError)
    .optional()
    .meta({
      description: `What the agent is told of its role, besides the task: at most ${longestInstructions} characters.`,
      examples: ['Write the test first. Change no public name.'],
    }),
  limits: key(section(profileLimits), {
    description: 'What a run with this profile may use, where that is less than under `limits`.',
    examples: [{ minutes: 20 }],
  }),
}).meta({
  examples: [{ use: 'claude', model: 'opus', instructions: 'Write the test first.' }],
  ...usual,
});

const profileNameError =
  'a name of small letters, digits, - and _, at most 40, that begins with a letter and is no agent of ours, such as careful';

const profileName = textLike(lowerName, profileNameError).refine(
  (name) => !agentUses.some((use) => use === name),
  { error: profileNameError },
);

/** Who does the work. */
export const agentKeys = {
  agent: agent.optional(),
  /** By the name under which a task or a stage chooses one. */
  agents: z
    .record(profileName, workerProfile, {
      error: ({ code }) =>
        code === 'invalid_key' ? profileNameError : 'a mapping of names, each with an agent',
    })
    .refine((listed) => Object.keys(listed).length <= 50, { error: 'at most 50 profiles' })
    .prefault({})
    .meta({
      title: 'Worker profiles',
      description:
        'Agents for some tasks, by name. A task chooses one with `worker_profile`; then that one does the work instead of `agent`. The keys are those of `agent`, with `instructions` and `limits`.',
      examples: [{ careful: { use: 'claude', model: 'opus', instructions: 'Write the test first.' } }],
    }),
};
