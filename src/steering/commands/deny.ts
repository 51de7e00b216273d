import { command, type Reasoned, withReason } from './spec.ts';

/** Keeps an agent from a tool call, or held work off the branch. */
export const deny = command<Reasoned<'deny'>>()({
  ...withReason('deny'),
  summary:
    'Refuse what the agent asks for, and tell it why, ' +
    'or keep the held work off the branch, and tell the next attempt why.',
  needs: 'write',
  followsApproval: true,
  button: { label: 'Deny' },
});
