import { z } from 'zod';

/** Part of the message for every key of a later version. */
export const notYet = 'not available in this version yet';

/**
 * Keys of later versions. They are recognized, so that they do not look like a typo.
 * A value that has its effect already may be set (`notify: []`); one that would be ignored is an error.
 */
export const later = {
  notify: emptyList('notifications')
    .optional()
    .meta({ description: `Only []: notifications are ${notYet}.`, examples: [[]] }),
};

/** A list that must be empty until its items have an effect. */
export function emptyList(what: string) {
  const error = `[], the default; ${what} are ${notYet}`;
  return z.array(z.unknown(), { error }).max(0, { error });
}
