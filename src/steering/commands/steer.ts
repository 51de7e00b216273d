import { command } from './spec.ts';

export interface SteerCommand {
  readonly type: 'steer';
  readonly prompt: string;
  readonly now: boolean;
  /** The agent that takes over, by its name, or by one under `agents` of the configuration. */
  readonly with?: string;
}

const option = /^--(?:(?<now>now)|with[ =](?<agent>[a-z][a-z0-9_-]{0,39}))(?=\s|$)\s*/;

interface Queued {
  readonly place: number;
}

const toldTexts = {
  injected: 'The agent was told, in the middle of its work.',
  restarted_turn: 'The agent was stopped where it was, and continues from there with these words.',
  unable: 'The agent could no longer be told, so this is the next iteration.',
  too_late: 'The agent could no longer be told, and this run has no iterations left.',
};

/** The rest of the comment is the prompt of the next iteration. */
export const steer = command<SteerCommand>()({
  usage: '/steer [--now] [--with <agent>] <what to do differently>',
  summary:
    'Redirect the agent: the text becomes the prompt of the next iteration. ' +
    '`--now` tells the agent while it works, or stops it if it cannot be told anything; ' +
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
  refusals: {
    iterations_used_up: ({ max }: { max: number }, { code, now }) =>
      `This run has used all of its ${max} iterations; ${code('/extend')} gives it more. ${now('steer')}`,
    agent_unusable: ({ agent, problem }: { agent: string; problem: string }, { code, plain }) =>
      `The run cannot be handed to ${code(agent)}: ${plain(problem, 1000)}. Nothing was changed.`,
  },
  replies: {
    queued: ({ place, untold }: Queued & { untold?: true }, { code }, { standing }) =>
      (untold ? 'The agent at work cannot be told, and is not stopped. ' : '') +
      `Queued as steer ${place}. All queued steers together become the next iteration, in order, ` +
      `${standing.phase === 'paused' ? `after ${code('/resume')}` : 'when the current work ends'}.`,
    /** What became of a steer for an agent at work; `too_late`: no iteration is left that it could begin. */
    told: ({ how }: { how: keyof typeof toldTexts }) => toldTexts[how],
    /** A steer that waited comes to nothing. */
    dropped: ({ by }: { by: string }, { code, plain }) =>
      `Your steer was not used, because ${plain(by, 60)} interrupted the run before it could begin. ` +
      `Send it again with ${code('/steer')} if it still applies.`,
    /** What has become of a steer whose comment was edited. */
    withdrawn: ({ place }: Queued) =>
      `Queued steer ${place} was withdrawn because its comment no longer contains it.`,
    changed: ({ place }: Queued) => `Queued steer ${place} was updated to match its comment.`,
    unchanged: ({ place }: Queued) =>
      `Queued steer ${place} stays as its author wrote it; only the author can change it.`,
  },
});

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
