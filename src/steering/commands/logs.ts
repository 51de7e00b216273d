import { command } from './spec.ts';

/** Shows the output of the verifiers. */
export const logs = command<{ readonly type: 'logs'; readonly verifier: string | null }>()({
  usage: '/logs [verifier]',
  summary: 'Show the output of the verifiers, or of one.',
  needs: 'read',
  isQuery: true,
  example: '',
  parse: ({ line }) => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    if (words.length > 1) return { problem: `expected one verifier, got ${words.length}` };
    return { type: 'logs', verifier: words[0] ?? null };
  },
  print: ({ verifier }) => verifier ?? '',
});
