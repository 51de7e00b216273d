import { closestMatch } from 'leven';

/** The known word that was most likely meant, if one is close enough: one letter in three may differ. */
export function suggestionFor(word: string, known: readonly string[]): string | undefined {
  // No key is that long, and the time to compare grows with the square of the length.
  if (word.length > 60) return undefined;
  return closestMatch(word.toLowerCase(), known, { maxDistance: Math.max(1, Math.floor(word.length / 3)) });
}
