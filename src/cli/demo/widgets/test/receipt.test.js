import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalLine } from '../src/receipt.js';

test('a receipt ends with the total', () => {
  assert.equal(totalLine(1250), 'Total: 12.50 EUR');
});
