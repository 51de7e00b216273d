import { messageOf } from '../../runs/faults.ts';

/** What could be had, or why it could not: nothing that is missing is ever shown as empty. */
export type Had<T> = { readonly had: T } | { readonly missing: string };

/** How long a page waits for one of its parts; the next refresh finds what came later. */
const patienceMs = 2500;

/** `what` begins the sentence that says it cannot be had (`The diff`); `absent` says that there is none. */
export async function had<T>(what: string, work: Promise<T | undefined>, absent?: string): Promise<Had<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Had<T>>((resolve) => {
    timer = setTimeout(() => resolve({ missing: `${what} is still being read.` }), patienceMs);
  });
  const settled = work.then(
    (value): Had<T> =>
      value === undefined ? { missing: absent ?? `${what} cannot be had right now.` } : { had: value },
    (fault: unknown): Had<T> => ({ missing: `${what} cannot be had right now: ${messageOf(fault)}.` }),
  );
  const first = await Promise.race([settled, late]);
  clearTimeout(timer);
  return first;
}

/** What is made of it, when it is there. */
export function mapHad<T, U>(given: Had<T>, make: (value: T) => U): Had<U> {
  return 'had' in given ? { had: make(given.had) } : given;
}
