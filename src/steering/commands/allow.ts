import { command } from './spec.ts';

interface AllowCommand {
  readonly type: 'allow';
  /** `always`: the same rules do not hold later work of this run either, except critical ones. */
  readonly scope: 'once' | 'always';
}

/** Lets an agent make a tool call, or held work be pushed to the branch. */
export const allow = command<AllowCommand>()({
  usage: '/allow [once|always]',
  summary:
    'Let the agent do what it asks for, or let the held work be pushed to the branch. ' +
    '`always` also lets through what the same rules would stop later in this run, except critical ones.',
  needs: 'write',
  followsApproval: true,
  button: { label: 'Allow once' },
  example: '',
  parse: ({ line }) => {
    const scope = line === '' ? 'once' : line.toLowerCase();
    if (scope === 'once' || scope === 'always') return { type: 'allow', scope };
    return { problem: `expected \`once\` or \`always\`, got \`${line}\`` };
  },
  print: ({ scope }) => scope,
});
