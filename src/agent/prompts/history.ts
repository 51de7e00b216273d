import type { SettledInteraction } from '../../steering/standing.ts';
import { shortSha } from '../../steering/words/short-sha.ts';
import { paragraphs, quoted } from './text.ts';

const questions = {
  approval: (sha: string) => `Is the work at ${sha} ready?`,
  interrupt: (sha: string) =>
    `The run stopped at ${sha} because no attempt succeeded. How should it continue?`,
  permission: () => 'May the work be pushed, which lets the CI of the repository run it?',
} as const satisfies Record<SettledInteraction['kind'], (sha: string) => string>;

/** Questions to people with their answers, oldest first; null when there were none. */
export function interactionHistory(interactions: readonly SettledInteraction[]): string | null {
  if (interactions.length === 0) return null;
  return paragraphs(
    '--- HUMAN INTERACTION HISTORY ---',
    ...interactions.map(entry),
    '--- END HUMAN INTERACTION HISTORY ---',
  );
}

function entry({ kind, head_sha, settled_at, by, how }: SettledInteraction, index: number): string {
  return [
    `**Interaction #${index + 1} (${settled_at.slice(0, 19).replace('T', ' ')})**`,
    `**Q:** ${questions[kind](shortSha(head_sha))}`,
    `**A:** ${quoted(`@${by}: ${how}`)}`,
  ].join('\n');
}
