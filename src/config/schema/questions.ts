import { onNoAnswer } from '../../steering/questions/question.ts';
import type { Approver } from '../../steering/settings.ts';
import { duration, wholeNumber } from '../quantities.ts';
import { free, stricter } from '../tightening.ts';
import { answerers } from './approvers.ts';
import { flag, mapping, oneOf } from './forms.ts';

export const askLevel = wholeNumber(0, 5).meta({
  task: { ...free, as: 'ask_level', at: ['questions', 'ask_level'] },
  title: 'How much to ask',
  description:
    'How readily the agent asks: from 0 (only if it is impossible to go on) to 5 (every real choice). The default is 2. `steering.ask_level` and `questions.ask_level` are the same.',
  examples: [2],
});

const onTimeout = oneOf(onNoAnswer).meta({
  task: stricter(onNoAnswer),
  title: 'When nobody answers',
  description:
    'What happens after `timeout`: the run times out and can be answered later (`block`), the agent goes on with the default that it named (`default`), or people decide how to go on (`fail`). An agent may ask for something stricter.',
  examples: ['block'],
});

export const questions = mapping({
  enabled: flag()
    .default(true)
    .meta({ description: 'Whether agents are given a way to ask people.', examples: [false] }),
  ask_level: askLevel.optional(),
  timeout: duration({ min: '1m', max: '90d' })
    .prefault('7d')
    .meta({ title: 'Timeout', description: 'How long a question waits for an answer.', examples: ['3d'] }),
  on_timeout: onTimeout.default('block'),
})
  .prefault({})
  .meta({
    title: 'Questions',
    description: 'What agents may ask people, and how long they wait.',
    examples: [{ ask_level: 3 }],
  });

export const answers = mapping({ by: answerers.prefault(['write']) })
  .prefault({})
  .meta({
    title: 'Answers',
    description: 'Who answers questions of agents.',
    examples: [{ by: ['triage'] }],
  })
  .transform(({ by }) => (isUsual(by) ? undefined : { by }));

function isUsual([first, ...others]: readonly Approver[]): boolean {
  return first !== undefined && 'role' in first && first.role === 'write' && others.length === 0;
}
