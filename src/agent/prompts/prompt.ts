import type { State } from '../../steering/state.ts';
import { checkFailure } from './check-failure.ts';
import { earlierAttempts } from './earlier-attempts.ts';
import { steeringClosing, steeringPrompt } from './steering.ts';
import { taskPrompt } from './task.ts';
import { paragraphs } from './text.ts';

/** Everything the agent is told for the attempt that is due, from what the run remembers and nothing else. */
export function promptFor(state: State): string {
  const steered = state.iteration > 0;
  const prompt = paragraphs(
    earlierAttempts(state),
    steered ? steeringPrompt(state) : taskPrompt(state),
    howToWork(state),
    steered ? steeringClosing : null,
    checkFailure(state),
  );
  return `${prompt}\n`;
}

function howToWork({ settings }: State): string {
  const names = settings.verifiers.map(({ name, run }) => `\`${name}\` (\`${run}\`)`).join(', ');
  const rules = [
    '### How to Work',
    'You are in a checkout of the repository. Change files here; do not commit, push or switch branches:' +
      ' what you leave in the working tree is committed for you.',
    names && `Afterwards these are run on a clean checkout, and their exit codes decide: ${names}.`,
    settings.agent.use === 'command' && reportRule,
  ];
  return rules.filter(Boolean).join('\n');
}

const reportRule =
  'When you are done you may write to the file that the environment variable COXSWAIN_REPORT_FILE names,' +
  ' as JSON: {"summary": "what you did", "status": "done", "tool_calls": []};' +
  ' the status is "uncertain" when a human should look closely and "cannot" when it cannot be done.';
