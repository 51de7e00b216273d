import { type CommandSpec, nothingElse } from './spec.ts';

/** Ends a pause. */
export const resume: CommandSpec<'resume'> = {
  name: 'resume',
  usage: '/resume',
  summary: 'Go on with a run that is paused or timed out.',
  needs: 'write',
  parse: (said) => nothingElse(said, { type: 'resume' }),
};
