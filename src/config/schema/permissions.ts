import { z } from 'zod';
import { type CallRule, callRuleNames } from '../../steering/gate-rules.ts';
import { duration } from '../quantities.ts';
import { mapping, oneOf } from './forms.ts';

const answer = oneOf(['allow', 'ask', 'deny']);

function permit(what: string) {
  return answer.default('allow').meta({
    description: `Tool calls that ${what}. Where gate rules match, the strictest answer counts.`,
    examples: ['ask'],
  });
}

function ruled(rule: string) {
  return answer
    .optional()
    .meta({ description: `Tool calls that the rule \`${rule}\` matches.`, examples: ['deny'] });
}

type Rules = Record<CallRule, ReturnType<typeof ruled>>;

const rules = z
  .object(Object.fromEntries(callRuleNames.map((rule) => [rule, ruled(rule)])) as Rules, {
    error: 'a mapping of gate rules',
  })
  // Rules of the repository's own; the names are checked when the whole is read.
  .catchall(answer)
  .prefault({})
  .meta({
    title: 'Permissions by gate rule',
    description:
      'For tool calls that a gate rule matches. By default a human is asked; in a sandbox, what ends in the workspace is allowed, and judged on the diff. With the answer for the kind of call, the stricter one counts. Rules of your own with a `command` can be named here, too.',
    examples: [{ 'touches-secrets': 'deny' }],
  });

export const permissions = mapping({
  edit: permit('edit files'),
  delete: permit('delete files'),
  move: permit('move files'),
  execute: permit('run commands, or do anything else but look (read, search, think and fetch are allowed)'),
  rules,
  hold: duration({ min: '1s', max: '1h' })
    .prefault('2m')
    .meta({
      title: 'Hold',
      description:
        'How long an agent is held for a human to allow a tool call. Then it is parked, and goes on when somebody decides. Its time limit stands still.',
      examples: ['2m'],
    }),
})
  .prefault({})
  .meta({
    title: 'Permissions',
    description: 'What agents may do that ask before they do it: `allow`, `ask` (a human) or `deny`.',
    examples: [{ execute: 'ask' }],
  });
