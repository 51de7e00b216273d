import type { CommandSpec } from './spec.ts';

export interface InterruptCommand {
  readonly type: 'interrupt';
  /** Empty if no reason was given. */
  readonly reason: string;
}

/** Puts a run before people. */
export const interrupt: CommandSpec<InterruptCommand> = {
  name: 'interrupt',
  usage: '/interrupt [why]',
  summary:
    'Stop what is in progress and have people decide how to go on: with `/retry`, `/steer`, `/approve` and the others.',
  needs: 'write',
  parse: ({ body }) => ({ type: 'interrupt', reason: body }),
};
