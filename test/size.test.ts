import { describe, expect, test } from 'vitest';
import { ceilings, folders, sizeOf, sizeOfCode, sunk } from '../scripts/size.mjs';

describe('a folder', () => {
  test.each(folders)('%s is not larger than its ceiling, nor much smaller', (folder) => {
    const size = sizeOf(folder);
    const ceiling = ceilings[folder];
    expect(ceiling, 'npm run size -- --sink gives a new folder its ceilings').toBeDefined();
    if (ceiling === undefined) return;
    expect(size.lines).toBeLessThanOrEqual(ceiling.lines);
    expect(size.tokens).toBeLessThanOrEqual(ceiling.tokens);
    expect(sunk(size, ceiling), 'npm run size -- --sink lowers the ceilings').toEqual(ceiling);
  });

  test('that is gone has no ceiling', () => {
    expect(Object.keys(ceilings).sort()).toEqual(['bundle', ...folders].sort());
  });
});

describe('the size of code', () => {
  test.each([
    ['const a = 1;', 5],
    ['// nothing\n\n/* nothing */\n', 0],
    ["f('short');", 5],
    [`f('${'x'.repeat(78)}');`, 6],
    [`f('${'x'.repeat(79)}');`, 7],
    ['f(/abcd/);', 6],
    ["new RegExp('abcd')", 6],
    ["g(RegExp(a('abcd')), 'abcd')", 13],
    ['String.raw`abcd`', 5],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
    ['`a${b}c`', 3],
  ])('%j has %i tokens', (text, tokens) => {
    expect(sizeOfCode(text).tokens).toBe(tokens);
  });

  test('counts lines that have code, also those within a template', () => {
    expect(sizeOfCode('// a\nconst a = `b\n\nc`; // d\n\n').lines).toBe(2);
  });
});
