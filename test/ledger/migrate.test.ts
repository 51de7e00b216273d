import { expect, test } from 'vitest';
import { migrated } from '../../src/ledger/migrate.ts';

test('whoever pushed according to an older version is still known, by login', () => {
  const state = { version: 1, pushers: ['bob', 'eve'], requested_by: { login: 'ada', role: 'write' } };
  expect(migrated(state)).toMatchObject({
    version: 2,
    requested_by: { login: 'ada', id: 0 },
    contributors: [
      { login: 'bob', id: 0 },
      { login: 'eve', id: 0 },
    ],
  });
  expect(migrated(state)).not.toHaveProperty('pushers');
});

test('a state without pushers gets none, and a newer one is left as it is', () => {
  expect(migrated({ version: 1 })).toEqual({ version: 2 });
  const state = { version: 2, contributors: [] };
  expect(migrated(state)).toBe(state);
});

test('version 1 had one check, and the new settings have their defaults', () => {
  const settings = { digest: 'd', approval: { required: 2 } };
  expect(migrated({ version: 1, settings })).toEqual({
    version: 2,
    settings: { digest: 'd', check: 'Coxswain', ci: 'at_once', approval: { required: 2, apps: [] } },
  });
});
