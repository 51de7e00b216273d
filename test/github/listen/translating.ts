import { expect } from 'vitest';
import { eventsIn, noRuns } from '../../../src/github/events/delivery.ts';
import type { RunEvent, TranslateContext } from '../../../src/github/listen/run-event.ts';
import { translate } from '../../../src/github/listen/translate.ts';
import type { Seals } from '../../../src/seal/seals.ts';
import { client } from '../octokit/github.ts';

/** Nobody depends on anything. */
const runs = { ...noRuns, mayWait: () => false };

/** Translates a delivery as the App does. */
export async function translateDelivery(
  name: string,
  payload: unknown,
  {
    own = 'coxswain[bot]',
    seals,
    ...more
  }: { readonly own?: string; readonly seals?: Seals } & Pick<TranslateContext, 'waitsForWords'> = {},
): Promise<RunEvent[]> {
  const context = {
    octokit: client(),
    trigger: 'coxswain',
    own: { login: own, app: { id: 1 }, seals },
    ...more,
  };
  const runEvents: RunEvent[] = [];
  for (const each of eventsIn({ name, payload }, runs)) runEvents.push(...(await translate(each, context)));
  return runEvents;
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
