import { describe, expect, test } from 'vitest';
import {
  isBeforeBase,
  isBeforeClosing,
  isBeforeReopening,
  retargetId,
} from '../../src/steering/branch/outdated-answers.ts';

/** What GitHub tells for a while after something has changed. */

const [noon, later] = ['2025-03-03T12:00:00Z', '2025-03-03T12:00:05Z'];

describe('a base', () => {
  test('that was read before the one in the ledger is not believed', () => {
    expect(isBeforeBase({ base_at: later }, { updated_at: noon })).toBe(true);
  });

  test('that was read afterwards is', () => {
    expect(isBeforeBase({ base_at: noon }, { updated_at: later })).toBe(false);
    expect(isBeforeBase({ base_at: noon }, { updated_at: noon })).toBe(false);
    expect(isBeforeBase({}, { updated_at: noon })).toBe(false);
  });

  test('that an old answer from the same second has undone is recorded once more', () => {
    const change = { base: 'release', at: noon };
    const first = retargetId(change, { seen: new Set(), seq: 4 });
    const seen = new Set([first, `retargeted:main@${noon}`]);
    const again = retargetId(change, { seen, seq: 6 });
    expect(seen.has(again)).toBe(false);
    expect(retargetId(change, { seen, seq: 6 })).toBe(again);
  });
});

describe('a closing', () => {
  test('that somebody undid, as the ledger knows, does not end the run again', () => {
    const seen = new Set(['issue:1:run', `closed:${noon}`, `reopened:${later}`]);
    expect(isBeforeReopening(seen, noon)).toBe(true);
  });

  test('after the last reopening ends it', () => {
    expect(isBeforeReopening(new Set([`reopened:${noon}`]), later)).toBe(false);
    expect(isBeforeReopening(new Set([`closed:${later}`]), noon)).toBe(false);
  });
});

test('a reopening before a closing that the ledger knows does not open the run again', () => {
  const seen = new Set(['issue:1:run', `closed:${later}`]);
  expect(isBeforeClosing(seen, noon)).toBe(true);
  expect(isBeforeClosing(seen, later)).toBe(false);
  expect(isBeforeClosing(new Set([`reopened:${later}`]), noon)).toBe(false);
});
