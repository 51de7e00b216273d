import { expect, test } from 'vitest';
import { expression } from './expression.ts';

test.each([
  ["github.event.label.name == 'coxswain'", true],
  ["github.event.label.name != 'coxswain'", false],
  ["github.event.label.name == 'other'", false],
  ["contains(github.event.label.name, 'cox')", true],
  ['github.event.label != null', true],
  ['github.event.pull_request != null', false],
])('%s is %s for the label Coxswain, because GitHub ignores case', (text, value) => {
  expect(expression(text, { event: { label: { name: 'Coxswain' } } })).toBe(value);
});
