import { type CommandSpec, nothingElse } from './spec.ts';

export interface ResumeCommand {
  readonly type: 'resume';
}

/** Continues a run that is paused or timed out, or begins one that is blocked. */
export const resume: CommandSpec<ResumeCommand> = {
  name: 'resume',
  usage: '/resume',
  summary:
    'Continue a run that is paused or timed out, where it stood. With maintain, begin one that is blocked all the same, ' +
    'or one anew whose ledger was lost.',
  needs: 'write',
  parse: (given) => nothingElse(given, { type: 'resume' }),
};
