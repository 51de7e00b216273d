import { closestMatch } from 'leven';

/** The known word that somebody most likely meant, if any is near enough: one letter in three may differ. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  // Nobody means a key with a word of this length, and comparing takes time with its square.
  if (word.length > 60) return undefined;
  return closestMatch(word.toLowerCase(), known, { maxDistance: Math.max(1, Math.floor(word.length / 3)) });
}
