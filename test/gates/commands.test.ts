import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gatesOnCommand } from '../../src/gates/index.ts';
import { byRule } from './cases/by-rule.ts';
import { elsewhere } from './cases/elsewhere.ts';
import { ordinary } from './cases/ordinary.ts';
import { services } from './cases/services.ts';
import { spellings } from './cases/spellings.ts';

interface Vector {
  readonly id: string;
  readonly command: string;
  readonly expectedRule: string | null;
}

// The file has this type; a row that has not fails its test.
const vectors = JSON.parse(
  readFileSync(new URL('../fixtures/vectors/gates-commands.json', import.meta.url), 'utf8'),
) as readonly Vector[];

test.each(vectors)('$id: $command hits $expectedRule', ({ command, expectedRule }) => {
  expect(rulesFor(command)).toEqual(expectedRule === null ? [] : [expectedRule]);
});

describe.each([
  ['a command and what resembles it', byRule],
  ['another spelling, a wrapper, or only text', spellings],
  ['everyday work', ordinary],
  ['another machine, a container or another shell', elsewhere],
  ['databases, clouds, packages and Git', services],
])('%s', (_, cases) => {
  test.each(cases)('%s', (line, ...rules) => {
    expect(rulesFor(line)).toEqual(rules);
  });
});

describe('a hit', () => {
  test('has the severity of its rule and shows the command inside its wrappers', () => {
    expect(gatesOnCommand("sudo bash -c 'cd x && rm -rf build'")).toEqual([
      { rule: 'deletes-files', severity: 'high', evidence: 'rm -rf build' },
    ]);
  });

  test('is told once for each rule, with the first command', () => {
    const hits = gatesOnCommand('rm a; psql -c "drop table b"; rm c; apt install d');
    expect(hits).toEqual([
      { rule: 'deletes-files', severity: 'high', evidence: 'rm a' },
      { rule: 'drops-data', severity: 'critical', evidence: 'psql -c drop table b' },
      { rule: 'installs-system-packages', severity: 'medium', evidence: 'apt install d' },
    ]);
  });

  test('shows redirections and an ellipsis for what is not known', () => {
    expect(gatesOnCommand('echo "$X" > .env')).toEqual([
      { rule: 'touches-secrets', severity: 'critical', evidence: 'echo … > .env' },
    ]);
  });

  test('has at most 200 characters of the command', () => {
    const [hit] = gatesOnCommand(`rm ${'a'.repeat(1_000)}`);
    expect(hit?.evidence).toHaveLength(200);
  });
});

describe('an unparsable line', () => {
  test.each([
    ['rm -rf "unfinished', 'unterminated double quote'],
    ['$X -rf y', 'which program runs is not known: … -rf y'],
    ['eval "$X"', 'which program runs is not known: …'],
    [`echo ${'a'.repeat(131_072)}`, 'longer than 131072 characters'],
    [`cat ${'<<E '.repeat(501)}`, 'more than 500 here-documents'],
    [`${'$('.repeat(60)}${')'.repeat(60)}`, 'nested more than 40 levels deep'],
    [`{ ${'ls;'.repeat(100)} } <<E\n${'a'.repeat(60_000)}\nE`, 'too much to follow'],
  ])('says why: %.40s', (line, why) => {
    expect(gatesOnCommand(line)).toEqual([
      { rule: 'unparsable', severity: 'medium', evidence: expect.stringContaining(why) },
    ]);
  });

  test('inside a substitution leaves the rest of the line readable', () => {
    expect(rulesFor("rm a; bash -c 'echo \"'; apt install b")).toEqual([
      'deletes-files',
      'installs-system-packages',
      'unparsable',
    ]);
  });
});

function rulesFor(line: string): readonly string[] {
  return gatesOnCommand(line)
    .map(({ rule }) => rule)
    .sort();
}
