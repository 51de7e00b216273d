import { expect, test } from 'vitest';
import { eventLine } from '../../src/runs/run/announce.ts';
import type { Event } from '../../src/steering/state/event.ts';
import { anApproval, awaiting } from '../github/show/state.ts';

const state = awaiting();
const at = '2026-01-01T10:00:00Z';

test.each<[Partial<Event>, string]>([
  [
    { type: 'said', by: anApproval().by, command: { type: 'reject', reason: 'a secret' } },
    `${state.run.id}: /reject by ${anApproval().by.login}, now awaiting_approval (x:1)`,
  ],
  [
    { type: 'branch_deleted', by: 'bob' },
    `${state.run.id}: branch deleted by bob, now awaiting_approval (x:1)`,
  ],
])('%j is one line without what was written', (event, line) => {
  expect(eventLine({ id: 'x:1', at, ...event } as Event, state)).toBe(line);
});

test('what another line says already is not worth one', () => {
  expect(eventLine({ type: 'settled', id: 'settled:1', at, paid: [] }, state)).toBeUndefined();
});
