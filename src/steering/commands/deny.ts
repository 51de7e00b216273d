import { command, type Reasoned, withReason } from './spec.ts';

/** Keeps an agent from a tool call, or held work off the branch. */
export const deny = command<Reasoned<'deny'>>()({
  ...withReason('deny'),
  summary:
    'Keep the agent from what it asks for, which it is told with the reason, ' +
    'or keep the held work off the branch, which the next attempt is told.',
  needs: 'write',
  followsApproval: true,
  button: { label: 'Deny' },
});
