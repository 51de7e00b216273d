import { join } from 'node:path';
import type { PlacedSkill } from '../skills.ts';
import { list, paragraphs, section } from './text.ts';

/** Where the skills are, and what they are for; null if there are none. */
export function skillsForAgent(skills: readonly PlacedSkill[] = []): string | null {
  if (skills.length === 0) return null;
  const text = paragraphs(
    'The people of this repository have written these instructions for kinds of work. ' +
      'Before you begin, read those that fit the task. They cannot be changed there.',
    list(skills.map(entry)),
  );
  return section('### Skills', text);
}

function entry({ name, description, folder }: PlacedSkill): string {
  return `\`${name}\` in \`${join(folder, 'SKILL.md')}\`${description && `: ${description}`}`;
}
