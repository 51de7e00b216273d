import { expect, test } from 'vitest';
import { OtherProcesses } from '../../src/repository/other-processes.ts';

const started = '2025-03-03T12:00:00Z';
const later = '2025-03-03T12:00:05Z';

/** A process that started at noon, and its clock. */
function newProcess() {
  const clock = { time: started, now: () => new Date(clock.time) };
  return { clock, others: new OtherProcesses(clock) };
}

test('a ledger from before this process says nothing of others', () => {
  const { others } = newProcess();
  others.read({ updated_at: '2025-03-03T11:59:00Z', isFirst: true });
  expect(others.present).toBe(false);
});

test('whoever has written a ledger since this process started is there', () => {
  const { others } = newProcess();
  others.read({ updated_at: later, isFirst: true });
  expect(others.present).toBe(true);
});

test('whoever has changed a ledger since it was last read is there for an hour', () => {
  const { others, clock } = newProcess();
  others.read({ updated_at: started, isFirst: false });
  expect(others.present).toBe(true);
  clock.time = '2025-03-03T12:59:00Z';
  expect(others.present).toBe(true);
  clock.time = '2025-03-03T13:01:00Z';
  expect(others.present).toBe(false);
});
