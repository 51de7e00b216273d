import type { CommandSpec } from './spec.ts';

/** Says no, with a reason that later runs of the same task are told. */
export const reject: CommandSpec<'reject'> = {
  name: 'reject',
  usage: '/reject <reason>',
  summary: 'Close the pull request and keep the branch; the reason is kept too.',
  needs: 'write',
  parse: ({ body }) => (body === '' ? { problem: 'it gives no reason' } : { type: 'reject', reason: body }),
};
