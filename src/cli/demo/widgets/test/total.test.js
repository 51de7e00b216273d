import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/total.js';

test('adds up what each widget costs', () => {
  const widgets = [
    { price: 2, quantity: 3 },
    { price: 5, quantity: 1 },
  ];
  assert.equal(total(widgets), 11);
});
