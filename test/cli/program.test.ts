import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { programNames, runCommand } from '../../src/cli/program.ts';
import { heard } from './heard.ts';

/** What a command says, where, and its exit code: help is asked for, so it goes to stdout. */
let said: ReturnType<typeof heard>;

beforeEach(() => {
  said = heard();
});

afterEach(() => vi.restoreAllMocks());

describe('help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])(
    'of all commands is the answer to %j',
    async (argv) => {
      expect(await runCommand(argv)).toBe(0);
      expect(said).toEqual({ out: expect.stringMatching(/ {2}serve {2,}run the App/), err: '' });
    },
  );

  test.each(programNames)('of %s is on stdout, with examples, and fits into 80 columns', async (name) => {
    expect(await runCommand([name, '--help'])).toBe(0);
    const { out, err } = said;
    expect({ err, out }).toEqual({
      err: '',
      out: expect.stringMatching(/\nExamples:\n {2}# .+\n {2}\$ coxswain /),
    });
    expect(out.split('\n').filter((line) => line.length > 80 && / /.test(line.trim()))).toEqual([]);
    said.out = '';
    expect(await runCommand(['help', name])).toBe(0);
    expect(said.out).toBe(out);
  });

  test.each(['--help', 'steer', 'serve'])('of %s fits into a terminal of 40 columns', async (name) => {
    const { isTTY, columns } = process.stdout;
    Object.assign(process.stdout, { isTTY: true, columns: 40 });
    try {
      expect(await runCommand([name, '--help'])).toBe(0);
    } finally {
      Object.assign(process.stdout, { isTTY, columns });
    }
    const lines = said.out
      .split('\n')
      .filter((line) => line.length > 40 && !/^(?:Usage: | *\$ | *[A-Z_, ]+$)/.test(line));
    expect(lines).toEqual([]);
  });

  test('is given beside options that do not exist', async () => {
    expect(await runCommand(['seal', '--help', '--nonsense'])).toBe(0);
    expect(said.out).toContain('$ coxswain seal --closed');
  });
});

test.each([['--version'], ['-v'], ['version']])('%s prints the version alone', async (name) => {
  expect(await runCommand([name])).toBe(0);
  expect(said).toEqual({ out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), err: '' });
});

test.each([
  [['srve'], "coxswain: unknown command 'srve' (Did you mean serve?)\n`coxswain --help` lists"],
  [['constructor'], "coxswain: unknown command 'constructor'\n"],
  [['--nonsense'], "coxswain: unknown option '--nonsense'\n"],
  [
    ['seal', '--yess'],
    "coxswain seal: unknown option '--yess' (Did you mean --yes?)\n`coxswain seal --help`",
  ],
  [['serve', '--nonsense'], "coxswain serve: unknown option '--nonsense'\n"],
  [['seal', 'now'], "coxswain seal: too many arguments for 'seal'. Expected 0 arguments but got 1."],
  [['check', 'a', 'b'], "coxswain check: too many arguments for 'check'. Expected 1 argument but got 2."],
  [['key', '--lost'], "coxswain key: option '--lost <id>' argument missing"],
  [['setup', '--github-url', 'foo'], '--github-url is "foo": expected an address'],
  [['setup', '--github-url', 'ftp://x'], '--github-url is "ftp://x": expected an address'],
  [['setup', '--port', 'abc'], '--port is "abc": expected a port from 0 to 65535'],
  [['init', '--agent', 'cladue'], '--agent is "cladue": did you mean claude?'],
  [['init', '--action', 'coxswain'], '--action is "coxswain": expected owner/name@ref'],
  [
    ['init'],
    'init: it asks which agent works here and whether to write, but this is not a terminal: use --yes',
  ],
  [['demo', '--port', '99999'], '--port is "99999": expected a port from 0 to 65535'],
  [['demo', '--json'], '--json is only for --headless'],
  [['demo', '--story', 'flaky'], '--story is only for --headless'],
  [['demo', '--headless', '--story', 'discont'], '--story is "discont": did you mean discount?'],
  [['demo', '--headless', '--story', 'x'], '--story is "x": expected discount, flaky, upgrade'],
  [['demo', '--log-level', 'loud'], '--log-level is "loud": expected fatal, error'],
  [['doctor', '--output', 'yaml'], '--output is "yaml": expected text or json'],
  [['doctor', '--repo', 'widgets'], '--repo is "widgets": expected owner/name'],
])('%j is misuse, and said to be, with 2', async (argv, message) => {
  expect(await runCommand(argv)).toBe(2);
  expect(said).toEqual({ out: '', err: expect.stringContaining(message) });
});
