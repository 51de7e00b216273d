import { z } from 'zod';

/** Part of the message for every key of a later version. */
export const notYet = 'not available in this version yet';

/**
 * Keys of later versions. They are recognized, so that they do not look like a typo.
 * A value that has its effect already may be set (`stages: [implement]`); one that would be ignored is an error.
 */
export const later = {
  review: z
    .never({ error: `no such key; a second opinion is ${notYet}` })
    .optional()
    .meta({ description: `A second opinion: ${notYet}.` }),
  stages: only(['implement'], 'a pipeline of stages'),
  notify: emptyList('notifications')
    .optional()
    .meta({ description: `Only []: notifications are ${notYet}.`, examples: [[]] }),
};

/** A list that must be empty until its items have an effect. */
export function emptyList(what: string) {
  const error = `[], the default; ${what} are ${notYet}`;
  return z.array(z.unknown(), { error }).max(0, { error });
}

function only(values: readonly [string], what: string) {
  const error = `[${values.join(', ')}], the default; ${what} is ${notYet}`;
  return z
    .tuple([z.literal(values[0], { error })], { error })
    .optional()
    .meta({ description: `Only the default: ${what} is ${notYet}.`, examples: [values] });
}
