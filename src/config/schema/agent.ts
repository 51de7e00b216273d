import { z } from 'zod';
import { duration } from '../quantities.ts';

/** Agents that need an adapter for the Agent Client Protocol, which a later version brings. */
const laterAgents = ['acp', 'codex', 'claude', 'opencode', 'gemini', 'copilot', 'qwen', 'goose'];

const timeout = duration({ min: '1s', max: '24h' })
  .default('30m')
  .meta({
    title: 'Time limit',
    description: 'How long one execution of the agent may take.',
    examples: ['30m'],
  });

const argument = z
  .string({ error: 'an argument of the command, as text' })
  .min(1, { error: 'an argument that is not empty' });

const command = z.strictObject({
  use: z
    .literal('command')
    .meta({ description: 'Any program that reads the prompt and edits files.', examples: ['command'] }),
  command: z
    .array(argument, { error: 'a list: the program, then its arguments' })
    .min(1, { error: 'a list with at least the program' })
    .max(100, { error: 'at most 100 arguments' })
    .meta({
      title: 'Command',
      description:
        'With `use: command`: the program and its arguments, started without a shell in the workspace. ' +
        'It gets the prompt on stdin.',
      examples: [['node', 'tools/agent.mjs']],
    }),
  timeout,
});

const scripted = z.strictObject({
  use: z
    .literal('scripted')
    .meta({ description: 'Plays a script instead of running an agent, for demos.', examples: ['scripted'] }),
  script: z
    .string({ error: 'the path of a script in this repository' })
    .regex(/^(?![./])(?!.*(?:^|\/)\.\.(?:\/|$))[\w./-]{1,200}$/, { error: 'a path inside this repository' })
    .meta({
      title: 'Script',
      description: 'With `use: scripted`: the script, read from the default branch.',
      examples: ['tools/agent.yml'],
    }),
  timeout,
});

/** `agent: codex`, short for `agent: {use: codex}`, is expanded before it is checked. */
export const agent = z
  .discriminatedUnion('use', [command, scripted], { error: ({ input }) => expectedInstead(input) })
  .meta({
    title: 'Agent',
    description: 'The agent that does the work. Optional if the operator of the App has set a default.',
    examples: [{ use: 'command', command: ['node', 'tools/agent.mjs'] }],
  });

function expectedInstead(input: unknown): string {
  const use = typeof input === 'object' && input !== null && 'use' in input ? input.use : input;
  if (typeof use !== 'string' || !laterAgents.includes(use)) return 'an agent: command or scripted';
  return `command or scripted; ${use} is not available in this version yet`;
}
