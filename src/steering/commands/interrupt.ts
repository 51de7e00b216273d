import { command, type Reasoned, withReason } from './spec.ts';

/** Puts a run before people. */
export const interrupt = command<Reasoned<'interrupt'>>()({
  ...withReason('interrupt'),
  summary:
    'Stop what is in progress and have people decide how to continue: with `/retry`, `/steer`, `/approve` and so on.',
  needs: 'write',
  startsNoWork: true,
});
