import { expect } from 'vitest';
import { eventsIn, noRuns } from '../../../src/github/events/delivery.ts';
import { type Heard, isForEntryPoint, isNote, type Note } from '../../../src/github/listen/heard.ts';
import { translate } from '../../../src/github/listen/translate.ts';
import type { Seals } from '../../../src/seal/seals.ts';
import { client } from '../octokit/github.ts';

/** Nobody depends on anything. */
const runs = { ...noRuns, mayWait: () => false };

/** Translates a delivery as the App does. */
export async function translateDelivery(
  name: string,
  payload: unknown,
  { own = 'coxswain[bot]', seals }: { readonly own?: string; readonly seals?: Seals } = {},
): Promise<(Heard | Note)[]> {
  const context = {
    octokit: client(),
    trigger: 'coxswain',
    own: { login: own, app: { id: 1 }, seals },
  };
  const heard: (Heard | Note)[] = [];
  for (const each of eventsIn({ name, payload }, runs))
    if (isNote(each)) heard.push(each);
    else if (!isForEntryPoint(each)) heard.push(...(await translate(each, context)));
  return heard;
}

/** The only event of a delivery, with the number of its run. */
export async function eventOf(
  name: string,
  payload: unknown,
  options: Parameters<typeof translateDelivery>[2] = {},
): Promise<unknown> {
  const [first, ...rest] = await translateDelivery(name, payload, options);
  expect(rest).toEqual([]);
  return first?.kind === 'event' ? { number: first.number, ...first.event } : first;
}
