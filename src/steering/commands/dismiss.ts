import type { CommandSpec } from './spec.ts';

export interface DismissCommand {
  readonly type: 'dismiss';
  /** Of a concern, such as `c2`. */
  readonly concern: string;
  /** May be empty. */
  readonly reason: string;
}

/** Settles a concern of the second opinion, which then does not come back. */
export const dismiss: CommandSpec<DismissCommand> = {
  name: 'dismiss',
  usage: '/dismiss <concern> [why]',
  summary:
    'Settle a concern of the second opinion, such as `c2`: the reviewer is told why, and does not repeat it.',
  needs: 'write',
  example: 'c1',
  takesRest: true,
  parse: ({ body }) => {
    const [, concern, reason = ''] = /^(c\d{1,4})(?:\s+([\s\S]*))?$/i.exec(body.trim()) ?? [];
    if (concern === undefined)
      return { problem: 'expected the id of a concern, such as `/dismiss c2 It is meant so`' };
    return { type: 'dismiss', concern: concern.toLowerCase(), reason: reason.trim() };
  },
  print: ({ concern, reason }) => `${concern} ${reason}`.trim(),
};
