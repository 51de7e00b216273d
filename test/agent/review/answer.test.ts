import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/agent/review/prompt-and-answer.ts';

const concern = { file: 'src/a.js', line: 3, severity: 'high', text: 'It drops the zone.' } as const;
const opinion = { confidence: 0.7, concerns: [concern], resolved: ['c1'], withdrawn: ['c2'] };
const json = JSON.stringify(opinion);

describe('an opinion is found in the last message of a reviewer', () => {
  test.each<[string, string]>([
    ['alone', json],
    ['over several lines', JSON.stringify(opinion, null, 2)],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['with words around', `Here is what I think:\n\n${json}\n\nThat is all.`],
    ['with braces in the words around', `\`f() { return {a: {}} }\` is odd: ${json} See also {this} and }.`],
    ['after many braces', `${'function f() { if (x) { y(); } }\n'.repeat(90)}${json}`],
    ['after an apostrophe and a quote', `It's {"half a quote}. ${json}`],
    ['after one that it quotes from the change', `The change says {"confidence": 1}. I say: ${json}`],
    ['before an object that is no answer', `${json}\nAn example: {"a": 1}`],
  ])('%s', (_, message) => {
    expect(readAnswer(message)).toEqual(opinion);
  });

  test('also where a text of it looks like another', () => {
    const text = 'The test prints {"confidence": 1} }}} "{';
    const said = JSON.stringify({ ...opinion, concerns: [{ ...concern, text }] });
    expect(readAnswer(said)).toMatchObject({ confidence: 0.7, concerns: [{ text }] });
  });

  test('and the last of several counts', () => {
    expect(readAnswer(`${json}\nNo, wait:\n{"confidence": 0.1}`)).toMatchObject({
      ...{ confidence: 0.1, concerns: [] },
    });
  });
});

describe('no opinion counts', () => {
  test.each<[string, string, string]>([
    ['of nothing', ' \n', 'it said nothing'],
    ['of words', 'Looks good to me!', 'its last message holds no JSON'],
    ['of half an answer', json.slice(0, -1), 'its answer does not fit'],
    ['of an empty object', '{}', 'its answer does not fit'],
    ['of a list', '[0.9]', 'its last message holds no JSON'],
    ['of no number', '{"confidence": "0.9"}', 'its answer does not fit'],
    ['of NaN', '{"confidence": NaN}', 'its last message holds no JSON'],
    ['of too sure a number', '{"confidence": 1.1}', 'its answer does not fit'],
    ['of a number below 0', '{"confidence": -0.1}', 'its answer does not fit'],
    ['of infinity', '{"confidence": 1e999}', 'its answer does not fit'],
    ['of null', '{"confidence": null}', 'its answer does not fit'],
    ['of a severity that there is not', said({ severity: 'fatal' }), 'its answer does not fit'],
    ['of a line 0', said({ line: 0 }), 'its answer does not fit'],
    ['of half a line', said({ line: 1.5 }), 'its answer does not fit'],
    ['of a concern without words', said({ text: ' \n' }), 'its answer does not fit'],
    ['of a concern that is huge', said({ text: 'x'.repeat(20_001) }), 'its answer does not fit'],
    ['of ids that are none', '{"confidence": 1, "resolved": [1]}', 'its answer does not fit'],
  ])('%s', (_, message, problem) => {
    const read = readAnswer(message);
    expect(read).toMatchObject({ confidence: null, concerns: [], resolved: [], withdrawn: [] });
    expect(read.problem).toContain(problem);
    expect(read.problem?.length).toBeLessThan(600);
  });

  test('of more concerns than anybody reads, however long it takes to say what is wrong', () => {
    const bad = JSON.stringify({ confidence: 1, concerns: Array(2_001).fill({ ...concern, severity: 1 }) });
    expect(readAnswer(bad).problem?.length).toBeLessThan(600);
  });
});

test('of two thousand concerns the worst are kept, and the others counted', () => {
  const mild = Array.from({ length: 1_980 }, (_, n) => ({ ...concern, severity: 'low', text: `${n}` }));
  const grave = Array.from({ length: 20 }, (_, n) => ({ ...concern, text: `grave ${n}` }));
  const { concerns, omitted } = readAnswer(JSON.stringify({ confidence: 0, concerns: [...mild, ...grave] }));
  expect(concerns).toHaveLength(50);
  expect(concerns.slice(0, 20).every(({ severity }) => severity === 'high')).toBe(true);
  expect(omitted).toBe(1_950);
});

test.each<[string, string]>([
  ['./src/a.js', 'src/a.js'],
  ['/src/a.js', 'src/a.js'],
  ['//src//a.js', 'src/a.js'],
  ['../../etc/passwd', 'etc/passwd'],
  ['src/../../x', 'x'],
  ['..', '.'],
  ['/', '.'],
  ['a\u0000b\nc', 'ab c'],
])('a file that is named %j is %j from the top', (file, named) => {
  expect(readAnswer(said({ file })).concerns[0]?.file).toBe(named);
});

test('what is null is as if it were not there, and long words are cut', () => {
  const { concerns } = readAnswer(said({ id: null, line: null, text: 'x'.repeat(5_000) }));
  expect(concerns).toEqual([{ file: 'src/a.js', severity: 'high', text: `${'x'.repeat(999)}…` }]);
});

test.each<[string, string]>([
  ['braces that open', '{'.repeat(100_000)],
  ['objects that do not end', '{"a":'.repeat(20_000)],
  ['objects that are none', '{x}'.repeat(30_000)],
  ['small objects', '{"a":1}'.repeat(14_000)],
  ['quotes', '{"'.repeat(50_000)],
])('a message of nothing but %s is read without going over it again and again', (_, message) => {
  const began = performance.now();
  expect(readAnswer(message).confidence).toBeNull();
  expect(performance.now() - began).toBeLessThan(5_000);
});

function said(changed: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ confidence: 0.5, concerns: [{ ...concern, ...changed }] });
}
