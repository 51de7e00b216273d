import { expect, test } from 'vitest';
import { dispatchedCommand } from '../../../src/github/listen/hear-request.ts';

const repository = {
  ...{ id: 1, owner: 'acme', name: 'api', default_branch: 'main', private: false },
  clone_url: 'https://github.com/acme/api.git',
};

function said(run: string, command: string) {
  return dispatchedCommand({ repository, inputs: { prompt: '', run, command } });
}

test.each([
  '12',
  '#12',
  ' #12 ',
  'acme/api#12',
  'ACME/api#12',
  'https://github.com/acme/api/pull/12',
  'https://github.com/acme/api/pull/12/files',
  'https://ghe.example/acme/api/pull/12#issuecomment-7',
])('%j is the run 12', (run) => {
  expect(said(run, '/retry')).toEqual({ number: 12, command: { type: 'retry' } });
});

test.each(['', '0', '-1', '12.5', 'twelve', 'acme/other#12', 'https://github.com/acme/other/pull/12', '1 2'])(
  '%j is no run of this repository',
  (run) => {
    expect(said(run, '/retry')).toEqual({
      problem:
        `input run is ${JSON.stringify(run)}: expected the pull request of a run of acme/api, by its number ` +
        "or address, as in `run: '#12'`",
    });
  },
);

test('\\n in the one line of a form begins a new line, also of a block', () => {
  expect(said('12', '/steer Use BigInt\\nand test it')).toMatchObject({
    command: { type: 'steer', prompt: 'Use BigInt\nand test it' },
  });
  expect(said('12', '/retry\\n```yaml\\ndescription: Net prices\\n```')).toMatchObject({
    command: { type: 'retry', changes: { description: 'Net prices' } },
  });
});

test.each([
  ['', 'input command is empty: expected what to say there, as in `command: /retry`'],
  ['retry', 'input command is "retry": expected a command, as in `command: /steer Use BigInt`'],
  ['> /retry', 'expected a command, as in'],
  ['/run Do it', 'expected a command for a run; the input prompt starts one'],
  ['/steer', 'Usage: /steer'],
  ['/retry now', '`/retry` takes no arguments, got `now`. Usage: /retry'],
  ['/pause\\n/resume', 'only one command per comment'],
])('the command %j is none', (command, problem) => {
  expect(said('12', command)).toEqual({ problem: expect.stringContaining(problem) });
});

test('without both of them nothing is said', () => {
  expect(said('', ' ')).toBeUndefined();
});
