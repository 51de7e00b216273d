import { z } from 'zod';
import { duration } from '../quantities.ts';

const shellCommand = z
  .string({ error: 'a shell command' })
  .min(1, { error: 'a shell command' })
  .max(4000, { error: 'a shell command of at most 4000 characters' })
  .refine(doesSomething, {
    error: 'a shell command, not only spaces and comments: that would always succeed',
  });

function doesSomething(command: string): boolean {
  return command.split('\n').some((line) => /^\s*[^\s#]/.test(line));
}

export const setup = z
  .array(shellCommand, { error: 'a list of shell commands' })
  .max(20, { error: 'at most 20 commands' })
  .default([])
  .meta({
    title: 'Setup',
    description: 'Shell commands run before the agent and before the verifiers.',
    examples: [['npm ci']],
  });

const nameError = 'a name of letters, digits, dots, hyphens and underscores, at most 50 characters';

/** The name is used for a file in the ledger, for a check run, and in `/approve --despite <name>`. */
const verifierName = z
  .string({ error: nameError })
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,48}[A-Za-z0-9])?$/, { error: nameError })
  .meta({ title: 'Name', description: 'A unique name.', examples: ['test'] });

const verifier = z.strictObject(
  {
    name: verifierName,
    run: shellCommand.meta({
      title: 'Command',
      description: 'A shell command, run in a clean checkout of the commit. Its exit code decides.',
      examples: ['npm test'],
    }),
    timeout: duration({ min: '1s', max: '24h' })
      .default('10m')
      .meta({ title: 'Time limit', description: 'How long it may run; then it fails.', examples: ['10m'] }),
    required: z
      .boolean({ error: 'true or false' })
      .default(true)
      .meta({
        title: 'Required',
        description: 'Whether the work cannot be approved while it fails.',
        examples: [true],
      }),
  },
  { error: 'a mapping with `name` and `run`' },
);

/** Without a default, for where the list is optional. */
export const verifierList = z
  .array(verifier, { error: 'a list of verifiers, each with `name` and `run`' })
  .max(20, { error: 'at most 20 verifiers' })
  .superRefine((listed, context) => {
    for (const [index, { name }] of listed.entries()) {
      const first = listed.findIndex((other) => other.name.toLowerCase() === name.toLowerCase());
      if (first === index) continue;
      const message = `a unique name: verifiers[${first}] has the same one`;
      context.addIssue({ code: 'custom', path: [index, 'name'], message });
    }
  });

export const verifiers = verifierList.default([]).meta({
  title: 'Verifiers',
  description: 'Commands whose exit codes decide whether the work is correct.',
  examples: [[{ name: 'test', run: 'npm test' }]],
});
