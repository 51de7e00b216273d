import { describe, expect, inject, test } from 'vitest';
import { type Outcome, runStep, type Step } from './runner.ts';

/** A job of the Action without GitHub: what it is given is refused before it asks for anything. */
function run(step: Partial<Step>): Promise<Outcome> {
  return runStep({
    main: inject('action').main,
    event: { name: 'issues', payload: {} },
    token: 'ghs_none',
    repository: 'acme/widgets',
    github: { url: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:1/api/v3' },
    runId: 1,
    ...step,
  });
}

/** The errors in the log, of which there is one. */
function errorIn({ code, log }: Outcome): string {
  expect(code).toBe(1);
  expect(log).not.toMatch(/\n\s+at /);
  const errors = [...log.matchAll(/^::error::(.*)$/gm)].map(([, text = '']) => text);
  expect(errors).toHaveLength(1);
  return errors.join();
}

describe('the file of the event is refused in one sentence', () => {
  test.each([
    ['empty', '', 'it is empty'],
    ['cut off', '{"action": "labeled", "issue": {"num', 'it is not JSON'],
    ['no JSON', 'oops', 'it is not JSON'],
    ['begun with a byte order mark', '\uFEFF{}', 'it is not JSON'],
    ['null', 'null', 'it holds no object'],
    ['a list', '[]', 'it holds no object'],
  ])('when it is %s', async (_, eventText, why) => {
    const error = errorIn(await run({ eventText }));
    expect(error).toMatch(/^could not read the event in \S+event\.json \(GITHUB_EVENT_PATH\): /);
    expect(error).toContain(why);
  });

  test('also for a sweep', async () => {
    const outcome = await run({ event: { name: 'schedule', payload: {} }, eventText: '' });
    expect(errorIn(outcome)).toContain('it is empty');
  });
});

describe('verifiers are refused', () => {
  test.each([
    'said:grep -q . price.txt; there:test -f price.txt',
    'said: grep -q . price.txt; there:test -f price.txt',
    'said:grep -q . price.txt',
  ])('where no blank says what is a name: %s', async (verifiers) => {
    const event = { name: 'workflow_dispatch', payload: { inputs: { prompt: 'Do it', verifiers } } };
    const error = errorIn(await run({ event }));
    expect(error).toMatch(/^input verifiers has "said:/);
    expect(error).toContain('expected `name: command`, as in `test: npm test; lint: npm run lint`');
  });
});

describe('a token is refused', () => {
  test.each(['ghp_0a1b2c', 'github_pat_0a1b2c', 'gho_0a1b2c'])('that is a person’s: %s', async (token) => {
    const outcome = await run({ token });
    expect(errorIn(outcome)).toBe(
      'input github-token is the token of a person, and GitHub lets only Apps write check runs: ' +
        'expected the token of the workflow (github.token) or of an App',
    );
    expect(outcome.log.split('\n')[0]).toBe(`::add-mask::${token}`);
  });
});

test('a runner with Windows is refused', async () => {
  expect(errorIn(await run({ environment: { RUNNER_OS: 'Windows' } }))).toBe(
    'Coxswain does not run on Windows, where the processes of an agent cannot be ended together: ' +
      'expected a runner with Linux or macOS, as in `runs-on: ubuntu-latest`',
  );
});

describe('a path that programs would read is refused', () => {
  test.each([
    ['/', /^COXSWAIN_SANDBOX_READABLE has "\/", which shows .*, and agents must not read that: expected/],
    ['/no/such', /which does not exist: expected paths of toolchains or caches, such as \/opt\/go/],
    ['tools', /which is not an absolute path/],
  ])('when it is %s', async (path, message) => {
    const outcome = await run({ environment: { COXSWAIN_SANDBOX_READABLE: path } });
    expect(errorIn(outcome)).toMatch(message);
  });
});

describe('targets are refused', () => {
  const sweep = { name: 'schedule', payload: {} };
  const refused = async (notify: string, environment = {}) =>
    errorIn(await run({ event: sweep, inputs: { notify }, environment }));
  const begin = 'input notify is not valid (its variables are set under `env:` of the step): ';

  test('with all that is wrong with them, and without what may be a secret', async () => {
    const one = '- { name: a, to: teams, url: "http://sesame.example.org/" }';
    const error = await refused(`${one}\n- { name: a, to: slack, url_env: A_URL }`);
    expect(error).toContain(`${begin}notify[1].name: expected a name of its own`);
    expect(error).toContain('notify[0].url: expected an address such as https://hooks.example.org/builds');
    expect(error).toContain('notify[1].url_env: expected the name of a variable that is set');
    expect(error).not.toContain('sesame');
  });

  test.each(['- {', '{ name: a, to: teams }', 'builds'])(
    'where there is no list of them: %j',
    async (text) => {
      expect(await refused(text)).toMatch(/^input notify is not valid .*: notify.*: expected /);
    },
  );

  test('only by a job that has something to do', async () => {
    const event = { name: 'watch', payload: { action: 'started' } };
    expect(await run({ event, inputs: { notify: '- {' } })).toMatchObject({ code: 0 });
  });
});
