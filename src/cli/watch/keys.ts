import type { Command } from '../../steering/commands/index.ts';
import { shortSha } from '../../steering/phrases/short-sha.ts';
import type { Seen } from '../commands/acting.ts';
import { approveCommand } from '../commands/approve.ts';
import type { Draft } from '../commands/draft.ts';
import { runName } from '../terminal/which-run.ts';

interface KeyRow {
  readonly label: string;
  /** What has to be typed before. */
  readonly asks?: string;
  says(text: string, seen: Seen): Command;
}

/** What each key says; nothing is posted before it was shown and confirmed. */
export const keys: Readonly<Record<string, KeyRow>> = {
  y: { label: 'approve', says: (_, seen) => approveCommand({}, seen) },
  n: { label: 'reject', asks: 'Why?', says: (reason) => ({ type: 'reject', reason }) },
  s: {
    label: 'steer',
    asks: 'What should be different?',
    says: (prompt) => ({ type: 'steer', prompt, now: false }),
  },
  a: { label: 'allow always', says: () => ({ type: 'allow', scope: 'always' }) },
  h: { label: 'hold', says: () => ({ type: 'pause', reason: '' }) },
};

export const keyLine = `${Object.entries(keys)
  .map(([key, { label }]) => `[${key}] ${label}`)
  .join('  ')}  [q] quit`;

/** What a draft would do, as it is shown before. */
export function draftLines({ place, report, text }: Draft): readonly string[] {
  const { title, head_sha, risk_level, approval_request, trust } = report;
  const risk = approval_request?.risk_level ?? risk_level ?? 'not known';
  return [
    `${runName(place)} at ${shortSha(head_sha)}: ${title}`,
    `Risk: ${risk}${trust === 'verified' ? '' : ', and nothing of it is verified'}`,
    '',
    ...text.split('\n').map((line) => `  ${line}`),
    '',
    '[Enter] post this as you  [Esc] leave it',
  ];
}
