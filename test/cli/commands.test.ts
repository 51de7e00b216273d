import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommand } from '../../src/cli/commands.ts';
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
      expect(said).toEqual({ out: expect.stringContaining('coxswain serve   run the App'), err: '' });
    },
  );

  test.each(['init', 'setup', 'check', 'serve', 'doctor', 'key', 'seal', 'demo'])(
    'of %s is on stdout',
    async (name) => {
      expect(await runCommand([name, '--help'])).toBe(0);
      const { out, err } = said;
      expect({ err, isHelp: out.length > 100 }).toEqual({ err: '', isHelp: true });
      said.out = '';
      expect(await runCommand(['help', name])).toBe(0);
      expect(said.out).toBe(out);
    },
  );

  test('is given beside options that do not exist', async () => {
    expect(await runCommand(['seal', '--help', '--nonsense'])).toBe(0);
    expect(said.out).toContain('coxswain seal --closed');
  });
});

test.each([['--version'], ['-v'], ['version']])('%s prints the version alone', async (name) => {
  expect(await runCommand([name])).toBe(0);
  expect(said).toEqual({ out: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), err: '' });
});

test.each([
  [['srve'], 'There is no command "srve". Did you mean `coxswain serve`?'],
  [['constructor'], 'There is no command "constructor".'],
  [['seal', '--yess'], 'coxswain seal: there is no option --yess: did you mean --yes?'],
  [['serve', '--nonsense'], 'coxswain serve: there is no option --nonsense\n'],
  [['seal', 'now'], 'coxswain seal: it takes no argument "now", only options'],
  [['key', '--lost'], "coxswain key: Option '--lost <value>' argument missing"],
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
])('%j is refused in our words, with 2', async (argv, message) => {
  expect(await runCommand(argv)).toBe(2);
  expect(said).toEqual({ out: '', err: expect.stringContaining(message) });
  expect(said.err).not.toContain('positional');
});
