import { expect, test } from 'vitest';
import { migrated, parseState } from '../../src/ledger/format.ts';
import { decide } from '../../src/steering/decide.ts';
import { runIn } from '../steering/phases.ts';
import { bob } from '../steering/samples.ts';

const network = { setup: ['registries'], agent: ['model'], verifiers: [] };

test('whoever pushed according to an older version is still known, by login', () => {
  const state = { version: 1, pushers: ['bob', 'eve'], requested_by: { login: 'ada', role: 'write' } };
  expect(migrated(state)).toMatchObject({
    version: 3,
    requested_by: { login: 'ada', id: 0 },
    contributors: [
      { login: 'bob', id: 0 },
      { login: 'eve', id: 0 },
    ],
  });
  expect(migrated(state)).not.toHaveProperty('pushers');
});

test('a state without pushers gets none, and a newer one is left as it is', () => {
  expect(migrated({ version: 1 })).toEqual({ version: 3 });
  const state = { version: 4, contributors: [] };
  expect(migrated(state)).toBe(state);
});

test('version 1 had one check, and the new settings have their defaults', () => {
  const settings = { digest: 'd', approval: { required: 2 } };
  expect(migrated({ version: 1, settings })).toEqual({
    version: 3,
    settings: { digest: 'd', check: 'Coxswain', ci: 'at_once', network, approval: { required: 2, apps: [] } },
  });
});

test('a state of version 2 without a network gets the default, and keeps one that it has', () => {
  expect(migrated({ version: 2, settings: { ci: 'at_once' } })).toEqual({
    version: 3,
    settings: { ci: 'at_once', network },
  });
  const state = { version: 2, settings: { network: { setup: [], agent: [], verifiers: [] } } };
  expect(migrated(state)).toEqual({ ...state, version: 3 });
});

test.each([2, 3])(
  'a state of version %i, from before tasks could wait or be replaced, goes on',
  (version) => {
    const { state } = runIn.awaiting_resolution();
    const old = parseState(JSON.stringify({ ...state, version }), 'a ledger');
    for (const key of ['replaces', 'replaced_by', 'merges_base', 'waits_for'])
      expect(old).not.toHaveProperty(key);
    const source = { from: 'dispatch', workflow_run_id: 5 } as const;
    const said = { type: 'said', id: 'dispatch:5', at: state.updated_at, by: bob, source } as const;
    expect(decide(old, { ...said, command: { type: 'retry' } })).toMatchObject({
      state: { standing: { phase: 'queued', work: 'attempt' } },
    });
    expect(decide(old, { ...said, command: { type: 'abandon', reason: '' } })).toMatchObject({
      state: { standing: { phase: 'abandoned' } },
    });
  },
);
