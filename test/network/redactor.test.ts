import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redactor, withoutKeys } from '../../src/network/model/upstream.ts';

const keys = ['sk-ant-secret-1', 'sk-ant-other-22', 'aaaaab'];

/** What comes out for these chunks, chunk by chunk, and at the end. */
function through(chunks: readonly string[]): readonly string[] {
  const clean = redactor(keys);
  return [...chunks.map((chunk) => clean.write(Buffer.from(chunk)).toString()), clean.end().toString()];
}

describe('a key in an answer', () => {
  test('becomes asterisks of the same length', () => {
    expect(withoutKeys('Incorrect key: sk-ant-secret-1.', keys)).toBe('Incorrect key: ***************.');
  });

  test('does not come out, wherever it is split, and all else stays', () => {
    const part = fc.oneof(
      fc.constantFrom(...keys),
      fc.constantFrom('sk-ant-', 'sk-', 'a', 'aa', 'aaaa', ' ', 'text'),
    );
    const cuts = fc.array(fc.nat(200), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), cuts, (parts, ends) => {
        const text = parts.join('');
        const at = [0, ...ends.map((end) => end % (text.length + 1)).sort((a, b) => a - b), text.length];
        const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
        const out = through(chunks).join('');
        expect(keys.filter((key) => out.includes(key))).toEqual([]);
        expect(out).toHaveLength(text.length);
        expect([...out].filter((letter, index) => letter !== '*' && letter !== text[index])).toEqual([]);
        if (!keys.some((key) => text.includes(key))) expect(out).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('holds back nothing but what could become one', () => {
    expect(through(['data: {}\n\n', 'data: sk', 'ip', 'sk-ant-x'])).toEqual([
      'data: {}\n\n',
      'data: ',
      'skip',
      'sk-ant-x',
      '',
    ]);
    expect(through(['end sk-ant-'])).toEqual(['end ', 'sk-ant-']);
  });

  test('is not looked for if it could be any word', () => {
    expect(withoutKeys('no key for k', ['k', 'none', ''])).toBe('no key for k');
  });

  test('is found as JSON and addresses write it', () => {
    const odd = ['k"e/y+0123'];
    expect(withoutKeys('{"a":"k\\"e/y+0123"}', odd)).toBe('{"a":"***********"}');
    expect(withoutKeys('?key=k%22e%2Fy%2B0123', odd)).toBe('?key=****************');
  });
});
