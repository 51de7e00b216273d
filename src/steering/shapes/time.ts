/**
 * Times are texts in ISO 8601, of which GitHub writes some with fractions of a second or with an offset. So
 * they are compared as moments: as a text, `10:00:00.5Z` is before `10:00:00Z`.
 */

/** Whether a time is before another. */
export function isBefore(one: string, other: string): boolean {
  return Date.parse(one) < Date.parse(other);
}

/**
 * Whether something happened before a time for certain. GitHub writes most times in whole seconds, so what it
 * says of the same second may have happened later.
 */
export function isSurelyBefore(one: string, other: string): boolean {
  return Date.parse(one) < wholeSecond(other);
}

/** The moment as GitHub writes it, in whole seconds. */
export function wholeSecond(at: string): number {
  return Math.floor(Date.parse(at) / 1000) * 1000;
}

/** What was shown less than this before a comment, instead of something else, its author has not read. */
export const readingTimeMs = 5000;

/** From when on a comment can be about what was shown then, `replaced`: in place of something else. */
export function readableFrom(shown: string, replaced: boolean): number {
  return replaced ? Date.parse(shown) + readingTimeMs : wholeSecond(shown);
}

/** The time that comes so many seconds after another. */
export function secondsAfter(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString();
}

/** The later of two times. */
export function later(one: string | undefined, other: string): string {
  return one !== undefined && isBefore(other, one) ? one : other;
}

/** Sorts by time, the oldest first. */
export function byTime(one: { readonly at: string }, other: { readonly at: string }): number {
  return Date.parse(one.at) - Date.parse(other.at);
}
