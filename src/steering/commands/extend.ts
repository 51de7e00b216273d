import type { WordedSpec } from './spec.ts';

export interface ExtendCommand {
  readonly type: 'extend';
  /** How many more iterations the run may have. */
  readonly more: number;
}

/** At once; whoever wants more says it again. */
export const mostAtOnce = 20;

const usually = 5;

interface Refused {
  /** No run may have more. */
  readonly extended_enough: { readonly max: number };
}

interface Replied {
  readonly extended: { readonly to: number };
}

/** Raises the number of iterations that a run may have. */
export const extend: WordedSpec<ExtendCommand, Refused, Replied> = {
  usage: '/extend [n]',
  summary: `Let the run have \`n\` more iterations (${usually} by default, at most ${mostAtOnce} at once).`,
  needs: 'write',
  example: '',
  parse: ({ line }) => {
    if (line === '') return { type: 'extend', more: usually };
    const more = /^\+?\d{1,4}$/.test(line) ? Number(line) : 0;
    return more >= 1 && more <= mostAtOnce
      ? { type: 'extend', more }
      : { problem: `expected how many more iterations, from 1 to ${mostAtOnce}, as in \`/extend 3\`` };
  },
  print: ({ more }) => `${more}`,
  refusals: {
    extended_enough: ({ max }, { now }) =>
      `This run already may have ${max} iterations, and no run may have more. ${now('extend')}`,
  },
  replies: {
    extended: ({ to }) => `This run may now have ${to} iterations.`,
  },
};
