import type { CommandSpec } from './spec.ts';

const now = /^--now(?=\s|$)\s*/;

/** The rest of the comment is the prompt of the next iteration. */
export const steer: CommandSpec<'steer'> = {
  name: 'steer',
  usage: '/steer [--now] <what to do differently>',
  summary:
    'Redirect the agent: what follows is the prompt of the next iteration. ' +
    '`--now` stops the attempt at work.',
  needs: 'write',
  parse: ({ body }) => {
    const prompt = body.replace(now, '').trim();
    if (prompt === '') return { problem: 'it says nothing to do' };
    return { type: 'steer', prompt, now: now.test(body) };
  },
};
