import { afterEach, describe, expect, test, vi } from 'vitest';
import { formatOf, openOnWeb, print, table } from '../../src/cli/terminal/command-output.ts';
import { heard } from './heard.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const fields = ['run', 'title', 'phase'];
const value = { run: 'acme/api#7', title: '\u001b[31mred\u009b0m \u202eright', phase: 'working', other: 1 };

/** What is printed of a value. */
function printed(output: string, given: object = value, colour?: 'red'): string {
  const said = heard();
  print(output, {
    ...{ value: given, fields, text: () => `[FAIL] ${value.title}\n` },
    ...(colour && { colourOf: () => colour }),
  });
  vi.restoreAllMocks();
  return said.out;
}

describe('--output', () => {
  test('json has the fields that are published, or those that are named', () => {
    expect(JSON.parse(printed('json'))).toEqual({ run: value.run, title: value.title, phase: value.phase });
    expect(JSON.parse(printed('json=phase, run'))).toEqual({ run: value.run, phase: value.phase });
    expect(JSON.parse(printed('json=run', [value, value]))).toEqual([{ run: value.run }, { run: value.run }]);
  });

  test('a terminal obeys nothing that others have written', () => {
    for (const text of [printed('json'), printed('table')])
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(printed('table')).toBe('[FAIL] red right\n');
  });

  test.each([
    ['jason', '--output is "jason": expected table, json or json=run,title'],
    ['json=', '--output names the field "": expected some of run, title, phase'],
    ['json=run,tittle', '--output names the field "tittle": expected some of run, title, phase'],
    ['json=constructor', '--output names the field "constructor"'],
  ])('%s is misuse', (output, message) => expect(() => formatOf(output, fields)).toThrow(message));
});

describe('colours', () => {
  test('are for terminals, or whoever asks for them', () => {
    expect(printed('table', value, 'red')).toBe('[FAIL] red right\n');
    vi.stubEnv('FORCE_COLOR', '1');
    expect(printed('table', value, 'red')).toBe('\u001b[31m[FAIL] red right\u001b[39m\n');
    vi.stubEnv('FORCE_COLOR', '0');
    expect(printed('table', value, 'red')).toBe('[FAIL] red right\n');
  });
});

describe('a table', () => {
  const rows = [
    ['acme/widgets#7', 'awaiting_approval', 'Round to whole cents,\nnever to tenths'],
    ['acme/api#12', 'working', 'Widgets'],
  ];
  const drawn = (width?: number) => table(['RUN', 'PHASE', 'TITLE'], rows, width);

  test('is as wide as it has to be where nobody looks', () => {
    expect(drawn()).toMatchInlineSnapshot(`
      "RUN             PHASE              TITLE
      acme/widgets#7  awaiting_approval  Round to whole cents, never to tenths
      acme/api#12     working            Widgets"
    `);
  });

  test('keeps each row to a line of the terminal', () => {
    for (const width of [60, 40]) {
      const lines = drawn(width).split('\n');
      expect(lines.filter((line) => line.length > width)).toEqual([]);
      expect(lines).toHaveLength(3);
    }
    expect(drawn(60)).toContain('acme/widgets#7  awaiting_approval  Round to whole cents, ne…');
  });

  test('cuts everything but what a row is about', () => {
    for (const width of [38, 40, 60]) expect(drawn(width)).toMatch(/^acme\/widgets#7 /m);
    expect(drawn(33)).toContain('RUN: acme/widgets#7\n');
  });

  test('becomes blocks of lines where its columns would say nothing', () => {
    expect(drawn(20)).toContain('RUN: acme/api#12\nPHASE: working\nTITLE: Widgets');
  });

  test('has nothing but its headings without rows', () => expect(table(['RUN'], [], 40)).toBe('RUN'));
});

describe('--web', () => {
  test.each([
    ['no-such-browser', 'https://github.com/acme/api/pull/7\n'],
    ['false', 'https://github.com/acme/api/pull/7\n'],
    ['true --new-tab', 'Opened https://github.com/acme/api/pull/7\n'],
  ])('with the browser %s', async (browser, said) => {
    vi.stubEnv('BROWSER', browser);
    const output = heard();
    await openOnWeb('https://github.com/acme/api/pull/7');
    expect(output.out).toBe(said);
  });
});
