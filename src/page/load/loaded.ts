import { messageOf } from '../../runs/faults.ts';

/** A value, or why it could not be loaded, so that a missing value is never shown as an empty one. */
export type Loaded<T> = { readonly value: T } | { readonly missing: string };

/** How long a page waits for one of its parts; the next refresh shows what arrives later. */
const timeoutMs = 2500;

/**
 * `what` begins the sentence that says it is not available (`The diff`); `absent` says that there is none.
 */
export async function loaded<T>(
  what: string,
  work: Promise<T | undefined>,
  absent = `${what} isn't available right now.`,
): Promise<Loaded<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Loaded<T>>((resolve) => {
    timer = setTimeout(() => resolve({ missing: `${what} is still loading.` }), timeoutMs);
  });
  const result = work.then(
    (value): Loaded<T> => (value === undefined ? { missing: absent } : { value }),
    (fault: unknown): Loaded<T> => ({ missing: `${what} isn't available right now: ${messageOf(fault)}.` }),
  );
  const first = await Promise.race([result, late]);
  clearTimeout(timer);
  return first;
}
