import { askingRow } from '../../steering/phases/table.ts';
import type { SettledInteraction } from '../../steering/shapes/standing.ts';
import { newest, paragraphs, quoted } from './text.ts';

const longestTogether = 15_800;

/** What people answered and why they refused, oldest first; null if there is nothing to know. */
export function interactionHistory(interactions: readonly SettledInteraction[]): string | null {
  const entries = interactions.filter(saysSomething).map(entry);
  if (entries.length === 0) return null;
  const { kept, isCut } = newestThatFit(entries);
  return paragraphs(
    '--- HUMAN INTERACTION HISTORY ---',
    isCut && '[earlier interactions cut]',
    ...kept,
    '--- END HUMAN INTERACTION HISTORY ---',
  );
}

/** A bare approval tells an agent nothing. */
function saysSomething({ question, answer, reason }: SettledInteraction): boolean {
  return question !== undefined || answer !== undefined || reason !== undefined;
}

function newestThatFit(entries: readonly string[]): { kept: readonly string[]; isCut: boolean } {
  const kept: string[] = [];
  let left = longestTogether;
  for (const each of entries.toReversed()) {
    left -= each.length + 2;
    if (left < 0) break;
    kept.unshift(each);
  }
  if (kept.length === 0) return { kept: [newest(entries.at(-1) ?? '', longestTogether)], isCut: true };
  return { kept, isCut: kept.length < entries.length };
}

function entry(interaction: SettledInteraction, index: number): string {
  return [
    `**Interaction #${index + 1} (${interaction.settled_at.slice(0, 19).replace('T', ' ')})**`,
    `**Q:** ${quoted(askingRow(interaction.kind).asked(interaction))}`,
    `**A:** ${quoted(answerIn(interaction))}`,
  ].join('\n');
}

function answerIn(interaction: SettledInteraction): string {
  const { by, how, answer, reason, question, reply } = interaction;
  if (question !== undefined) {
    if (reply === undefined) return `Nobody answered (${how}).`;
    return by === 'coxswain' ? `Nobody answered; the default stands: ${reply}` : `@${by}: ${reply}`;
  }
  const why = reason ?? answer?.why ?? '';
  return why === '' || why === how ? `@${by}: ${how}` : `@${by}: ${how}: ${why}`;
}
