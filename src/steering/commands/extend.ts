import { command } from './spec.ts';

/** A command adds at most so many; whoever wants more says it again. */
export const mostAtOnce = 20;

const usually = 5;

/** Raises the number of iterations that a run may have. */
export const extend = command<{ readonly type: 'extend'; readonly more: number }>()({
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
    /** No run may have more. */
    extended_enough: ({ max }: { max: number }, { now }) =>
      `This run may already have ${max} iterations, and no run may have more. ${now('extend')}`,
  },
  replies: {
    extended: ({ to }: { to: number }) => `This run may now have ${to} iterations.`,
  },
});
