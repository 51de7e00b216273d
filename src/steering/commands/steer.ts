import type { CommandSpec } from './spec.ts';

export interface SteerCommand {
  readonly type: 'steer';
  readonly prompt: string;
  readonly now: boolean;
}

const now = /^--now(?=\s|$)\s*/;

/** The rest of the comment is the prompt of the next iteration. */
export const steer: CommandSpec<SteerCommand> = {
  name: 'steer',
  usage: '/steer [--now] <what to do differently>',
  summary:
    'Redirect the agent: the text becomes the prompt of the next iteration. ' +
    '`--now` stops the current attempt.',
  needs: 'write',
  takesRest: true,
  parse: ({ body }) => {
    const prompt = body.replace(now, '').trim();
    if (prompt === '') return { problem: 'it contains no instructions' };
    return { type: 'steer', prompt, now: now.test(body) };
  },
};
