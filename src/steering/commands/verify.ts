import { type CommandSpec, nothingElse } from './spec.ts';

export interface VerifyCommand {
  readonly type: 'verify';
}

/** Runs the verifiers again. */
export const verify: CommandSpec<VerifyCommand> = {
  name: 'verify',
  usage: '/verify',
  summary: 'Run the verifiers again on the head, without the agent.',
  needs: 'write',
  parse: (given) => nothingElse(given, { type: 'verify' }),
};
