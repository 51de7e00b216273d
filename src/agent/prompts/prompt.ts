import type { State } from '../../steering/state.ts';
import { checkFailure } from './check-failure.ts';
import { earlierAttempts } from './earlier-attempts.ts';
import { steeringPrompt } from './steering.ts';
import { taskPrompt } from './task.ts';
import { paragraphs } from './text.ts';

/** Everything the agent is told for the attempt that is due, from what the run remembers and nothing else. */
export function promptFor(state: State): string {
  const whole = state.iteration === 0 ? taskPrompt(state) : steeringPrompt(state);
  const prompt = paragraphs(earlierAttempts(state), whole, checkFailure(state), howToWork(state));
  return `${prompt}\n`;
}

function howToWork({ settings }: State): string {
  const names = settings.verifiers.map(({ name, run }) => `\`${name}\` (\`${run}\`)`).join(', ');
  return [
    '### How to Work',
    'You are in a checkout of the repository. Change files here; do not commit, push or switch branches:' +
      ' what you leave in the working tree is committed for you.',
    names && `Afterwards these are run on a clean checkout, and their exit codes decide: ${names}.`,
  ]
    .filter(Boolean)
    .join('\n');
}
