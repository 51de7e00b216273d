import { type CommandSpec, nothingElse } from './spec.ts';

/** Runs the verifiers again. */
export const verify: CommandSpec<'verify'> = {
  name: 'verify',
  usage: '/verify',
  summary: 'Run the verifiers again on the head, without the agent.',
  needs: 'write',
  parse: (said) => nothingElse(said, { type: 'verify' }),
};
