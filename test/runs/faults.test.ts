import { expect, test } from 'vitest';
import { messageOf } from '../../src/repository/faults.ts';

test('the message of a fault ends with why the push was refused', () => {
  const refusal = { kind: 'unreachable', refs: [], message: 'RPC failed; HTTP 503' } as const;
  const fault = new Error('could not record x', { cause: new Error('busy', { cause: refusal }) });
  expect(messageOf(fault)).toBe('could not record x: busy: RPC failed; HTTP 503');
});
