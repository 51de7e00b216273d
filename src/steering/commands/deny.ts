import type { CommandSpec } from './spec.ts';

export interface DenyCommand {
  readonly type: 'deny';
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** Keeps an agent from a tool call, or held work off the branch. */
export const deny: CommandSpec<DenyCommand> = {
  name: 'deny',
  usage: '/deny [why]',
  summary:
    'Keep the agent from what it asks for, which it is told with the reason, ' +
    'or keep the held work off the branch, which the next attempt is told.',
  needs: 'write',
  parse: ({ body }) => ({ type: 'deny', reason: body }),
};
