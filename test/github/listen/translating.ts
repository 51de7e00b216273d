import { expect } from 'vitest';
import { readPayload } from '../../../src/github/listen/payloads.ts';
import type { Hearing } from '../../../src/github/listen/run-event.ts';
import { hear } from '../../../src/github/listen/translate.ts';
import { client } from '../octokit/github.ts';

/** What the App makes of a delivery. */
export async function heard(name: string, payload: unknown, own = 'coxswain[bot]'): Promise<Hearing[]> {
  const ears = { octokit: client(), trigger: 'coxswain', own: { login: own } };
  const hearings: Hearing[] = [];
  for (const each of readPayload(name, payload)) hearings.push(...(await hear(each, ears)));
  return hearings;
}

/** The one event a delivery makes, with the number of its run. */
export async function eventOf(name: string, payload: unknown): Promise<unknown> {
  const [first, ...rest] = await heard(name, payload);
  expect(rest).toEqual([]);
  return first?.kind === 'event' ? { number: first.number, ...first.event } : first;
}
