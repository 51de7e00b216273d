import type { CommandSpec } from './spec.ts';

export interface SteerCommand {
  readonly type: 'steer';
  readonly prompt: string;
  readonly now: boolean;
  /** The agent that takes over, by its name, or by one under `agents` of the configuration. */
  readonly with?: string;
}

const option = /^--(?:(?<now>now)|with[ =](?<agent>[a-z][a-z0-9_-]{0,39}))(?=\s|$)\s*/;

/** The rest of the comment is the prompt of the next iteration. */
export const steer: CommandSpec<SteerCommand> = {
  name: 'steer',
  usage: '/steer [--now] [--with <agent>] <what to do differently>',
  summary:
    'Redirect the agent: the text becomes the prompt of the next iteration. ' +
    '`--now` tells the agent at work, or stops it if it cannot be told anything; ' +
    '`--with codex` hands the work to another agent, or to one under `agents` by its name.',
  needs: 'write',
  example: 'more',
  takesRest: true,
  parse: ({ body }) => {
    const { prompt, now, agent } = read(body);
    if (/^--(?:now|with)\b/.test(prompt))
      return {
        problem: 'expected `--now` and `--with <agent>` at most once each, as in `--now --with codex`',
      };
    if (prompt === '') return { problem: 'it contains no instructions' };
    return { type: 'steer', prompt, now, ...(agent !== undefined && { with: agent }) };
  },
  print: ({ prompt, now, with: agent }) =>
    [now ? '--now' : [], agent === undefined ? [] : `--with ${agent}`, prompt].flat().join(' '),
};

interface Read {
  readonly prompt: string;
  readonly now: boolean;
  readonly agent?: string;
}

/** The options come first, in any order. */
function read(body: string, before: Omit<Read, 'prompt'> = { now: false }): Read {
  const found = option.exec(body);
  const { now, agent } = found?.groups ?? {};
  const isAgain = (now !== undefined && before.now) || (agent !== undefined && before.agent !== undefined);
  if (found === null || isAgain) return { ...before, prompt: body.trim() };
  const after = { ...before, ...(now !== undefined && { now: true }), ...(agent !== undefined && { agent }) };
  return read(body.slice(found[0].length), after);
}
