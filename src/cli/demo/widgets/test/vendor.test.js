import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('vendor/money.js is what its publisher released', () => {
  const released = JSON.parse(readFileSync('vendor/released.json', 'utf8'));
  const digest = createHash('sha256').update(readFileSync('vendor/money.js')).digest('hex');
  assert.ok(Object.values(released).includes(digest), 'vendor/money.js was changed after its release');
});
