import { command } from './spec.ts';

interface DismissCommand {
  readonly type: 'dismiss';
  /** Of a concern, such as `c2`. */
  readonly concern: string;
  /** May be empty. */
  readonly reason: string;
}

/** Settles a concern of the second opinion, which then does not come back. */
export const dismiss = command<DismissCommand>()({
  usage: '/dismiss <concern> [why]',
  summary:
    'Settle a concern raised by the second opinion, such as `c2`: the reviewer is told why, and does not repeat it.',
  needs: 'write',
  startsNoWork: true,
  example: 'c1',
  wordsDecide: true,
  takesRest: true,
  parse: ({ body }) => {
    const [, concern, reason = ''] = /^(c\d{1,4})(?:\s+([\s\S]*))?$/i.exec(body.trim()) ?? [];
    if (concern === undefined)
      return { problem: 'expected the id of a concern, such as `/dismiss c2 This is intended`' };
    return { type: 'dismiss', concern: concern.toLowerCase(), reason: reason.trim() };
  },
  print: ({ concern, reason }) => `${concern} ${reason}`.trim(),
  pointless: ({ open = [] }: { readonly why: string; readonly open?: readonly string[] }) =>
    open.length === 0,
  refusals: {
    /** `open`: the concerns that can be dismissed. */
    no_such_concern: ({ named, open }: { named: string; open: readonly string[] }, { code }) =>
      open.length === 0
        ? `There is no concern ${code(named)}: the second opinion on this commit has none that is open.`
        : `There is no open concern ${code(named)}. Use ${code('/dismiss')} with one of these: ${open
            .slice(0, maxConcerns)
            .map((id) => code(id))
            .join(', ')}.`,
  },
});

const maxConcerns = 20;
