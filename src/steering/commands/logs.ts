import type { CommandSpec } from './spec.ts';

/** Shows what the verifiers printed. */
export const logs: CommandSpec<'logs'> = {
  name: 'logs',
  usage: '/logs [verifier]',
  summary: 'Show what the verifiers printed, or one of them.',
  needs: 'read',
  parse: ({ line }) => {
    const words = line.split(/\s+/).filter((word) => word !== '');
    if (words.length > 1) return { problem: `it takes one verifier, got ${words.length}` };
    return { type: 'logs', verifier: words[0] ?? null };
  },
};
