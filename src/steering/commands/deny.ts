import type { CommandSpec } from './spec.ts';

export interface DenyCommand {
  readonly type: 'deny';
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** Keeps held work off the branch. */
export const deny: CommandSpec<DenyCommand> = {
  name: 'deny',
  usage: '/deny [why]',
  summary: 'Keep the held work off the branch; the next attempt is told why.',
  needs: 'write',
  parse: ({ body }) => ({ type: 'deny', reason: body }),
};
