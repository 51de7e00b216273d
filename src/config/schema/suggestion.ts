import { closestMatch } from 'leven';

/** The known key that was most likely meant, if one is close enough: one letter in three may differ. */
export function suggestionFor(key: string, known: readonly string[]): string | undefined {
  // No key is that long, and the time to compare grows with the square of the length.
  if (key.length > 60) return undefined;
  return closestMatch(key.toLowerCase(), known, { maxDistance: Math.max(1, Math.floor(key.length / 3)) });
}

/** Says what is expected instead of a name that is not known: if one is close enough, first that. */
export function orMeant(name: string, known: readonly string[], all = `one of ${known.join(', ')}`): string {
  const meant = suggestionFor(name, known);
  return meant === undefined ? all : `${meant} (did you mean that?), or ${all}`;
}
