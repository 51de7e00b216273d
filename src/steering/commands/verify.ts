import { command } from './spec.ts';

/** Runs the verifiers again. */
export const verify = command<{ readonly type: 'verify'; readonly ci?: true }>()({
  usage: '/verify [--ci]',
  summary:
    'Run the verifiers again on the head, without the agent. ' +
    '`--ci` also starts the CI of the repository, where `ci: after_look` holds it back.',
  needs: 'write',
  button: { label: 'Verify again' },
  example: '',
  parse: ({ line }) => {
    if (line === '') return { type: 'verify' };
    return line === '--ci'
      ? { type: 'verify', ci: true }
      : { problem: `expected \`--ci\` or nothing, got \`${line}\`` };
  },
  print: ({ ci }) => (ci ? '--ci' : ''),
});
