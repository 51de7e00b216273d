import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Misconfigured, type Operator, readConfig } from '../../src/config/read.ts';
import { problemText } from '../../src/config/schema/config-problem.ts';
import { minimalConfig } from '../../src/config/schema.ts';
import type { Settings } from '../../src/steering/shapes/settings.ts';

const where = { path: '.github/coxswain.yml', ref: 'main' };
const agent = 'agent: { use: command, command: [node, agent.mjs] }\n';

function settingsOf(text: string, operator?: Operator): Settings {
  const reading = readConfig(text, where, operator);
  if (reading.outcome === 'misconfigured') throw new Error(JSON.stringify(reading.problems, null, 2));
  return reading.settings;
}

function refusal(text: string | undefined, operator?: Operator): Misconfigured {
  const reading = readConfig(text, where, operator);
  if (reading.outcome === 'configured') throw new Error(`was accepted: ${text}`);
  return reading;
}

const problemsOf = (text: string, operator?: Operator) => refusal(text, operator).problems;

test('a file with an agent and nothing else gets every default', () => {
  const text = `version: 1\n${agent}`;
  expect(settingsOf(text)).toEqual({
    digest: createHash('sha256').update(text).digest('hex'),
    check: 'Coxswain',
    agent: { use: 'command', command: ['node', 'agent.mjs'], timeout_s: 1800 },
    setup: [],
    verifiers: [],
    proof: 'on',
    approval: {
      mode: 'manual',
      threshold: 0.8,
      new_history: 3,
      auto_proceed_after_s: 600,
      on_timeout: 'proceed',
      required: 1,
      by: [{ role: 'write' }],
      steerer_may_approve: true,
      requester_may_approve: true,
      finish: 'ready',
      merge_method: 'squash',
      apps: [],
    },
    steering: { max_iterations: 5, review_timeout_s: 86_400 },
    attempts: { max: 3 },
    flaky: { reruns: 1 },
    limits: { minutes: 60 },
    permissions: { edit: 'allow', delete: 'allow', move: 'allow', execute: 'allow', rules: {}, hold_s: 120 },
    labels: { trigger: 'coxswain' },
    sandbox: 'preferred',
    ci: 'at_once',
    network: { setup: ['registries'], agent: ['model'], verifiers: [] },
  });
});

test('every setting is read as written', () => {
  const settings = settingsOf(`version: 1
agent: { use: scripted, script: fix-the-sum, timeout: 90s }
setup: [npm ci]
verifiers:
  - { name: test, run: npm test, timeout: 2h }
  - { name: lint, run: npm run lint, required: false }
approval: { required: 2, by: [maintain, '@ada'], steerer_may_approve: false, finish: auto-merge }
steering: { max_iterations: 8, review_timeout: 2d }
sandbox: required
`);
  expect(settings.agent).toEqual({ use: 'scripted', script: 'fix-the-sum', timeout_s: 90 });
  expect(settings.verifiers).toEqual([
    { name: 'test', run: 'npm test', timeout_s: 7200, required: true },
    { name: 'lint', run: 'npm run lint', timeout_s: 600, required: false },
  ]);
  expect(settings.approval).toMatchObject({ required: 2, by: [{ role: 'maintain' }, { login: 'ada' }] });
  expect(settings.approval).toMatchObject({ steerer_may_approve: false, finish: 'auto-merge' });
  expect(settings.steering).toEqual({ max_iterations: 8, review_timeout_s: 172_800 });
  expect(settings.sandbox).toBe('required');
});

test('zero iterations means the default of five', () => {
  expect(settingsOf(`version: 1\n${agent}steering: { max_iterations: 0 }`).steering.max_iterations).toBe(5);
});

test('the digest changes with every byte of the file', () => {
  const text = `version: 1\n${agent}`;
  expect(settingsOf(`${text}# a comment`).digest).not.toBe(settingsOf(text).digest);
});

test('keys may be set to their defaults', () => {
  const settings = settingsOf(`version: 1
${agent}stages: [implement]
verify_against: head
answers: { by: [write] }
permissions: { edit: allow, execute: allow }
gates: {}
notify: []
approval: { protected_paths: [], auto_proceed_after: 10m }
steering: { ask_level: 2 }
`);
  expect(settings).toEqual({ ...settingsOf(`version: 1\n${agent}`), digest: settings.digest });
});

test('a repository without the file is shown a minimal one that works', () => {
  const { missing, problems } = refusal(undefined);
  expect(missing).toBe(true);
  expect(problems[0]?.expected).toBe('a file .github/coxswain.yml at main');
  expect(problems[0]?.example).toBe(minimalConfig());
  expect(settingsOf(minimalConfig()).verifiers).toHaveLength(1);
});

test('an agent must be chosen by the repository or by the operator', () => {
  expect(problemsOf('version: 1')).toEqual([
    {
      path: 'agent',
      expected: 'an agent: none is configured here, and the operator has set no default',
      received: 'nothing',
      example: 'agent: claude',
    },
  ]);
  const chosen = { use: 'command', command: ['ours'], timeout_s: 60 } as const;
  expect(settingsOf('version: 1', { defaults: { agent: chosen } }).agent).toEqual(chosen);
});

test('all problems are reported at once, each with its line', () => {
  const problems = problemsOf(`version: 2
verifiers:
  - name: test
    run: npm test
  - name: lint
    tiemout: 10m
    timeout: soon
approvals: {}
sandbox: maybe
`);
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "example": "version: 1",
        "expected": "1, the version of this format",
        "line": 1,
        "path": "version",
        "received": "2",
      },
      {
        "example": "run: npm test",
        "expected": "a shell command; or \`check\` and \`app\`, for a check of your CI",
        "line": 5,
        "path": "verifiers[1].run",
        "received": "nothing",
      },
      {
        "example": "timeout: 10m",
        "expected": "timeout (did you mean that?), or one of name, run, check, app, timeout, required, setup, after, report",
        "line": 6,
        "path": "verifiers[1].tiemout",
        "received": "the unknown key "tiemout"",
      },
      {
        "example": "timeout: 10m",
        "expected": "a duration from 1s to 24h, such as 90s, 10m or 24h",
        "line": 7,
        "path": "verifiers[1].timeout",
        "received": ""soon"",
      },
      {
        "example": "approval: {required: 2}",
        "expected": "approval (did you mean that?), or one of version, agent, agents, stages, pipelines, review, setup, setup_changes, verifiers, verify_against, flaky, on_conflict, proof, tests, approval, steering, questions, answers, wait_for_rate_limit, attempts, interrupts, limits, permissions, gates, labels, bases, others, other_bots, ci, commits, sandbox, network, registries, notify",
        "line": 8,
        "path": "approvals",
        "received": "the unknown key "approvals"",
      },
      {
        "example": "sandbox: required",
        "expected": "required, preferred or off",
        "line": 9,
        "path": "sandbox",
        "received": ""maybe"",
      },
      {
        "example": "agent: claude",
        "expected": "an agent: none is configured here, and the operator has set no default",
        "path": "agent",
        "received": "nothing",
      },
    ]
  `);
});

test.each([
  ['a: [1', 1, 6, 'unexpected end of the stream within a flow collection'],
  ['version: 1\nversion: 1', 2, 1, 'duplicated mapping key'],
  ['agent:\n\tuse: command', 2, 1, 'a tab'],
  ['version: 1\n<<: {}', 2, undefined, 'the unknown key "<<"'],
])('%j is refused with its line', (text, line, column, received) => {
  const [problem] = problemsOf(text);
  expect(problem).toMatchObject({ line, received });
  expect(problem?.column).toBe(column);
});

test('a value of the wrong kind is one problem, whatever else it would break', () => {
  const text = `version: 1\n${agent}approval: { how: button }\nstages: ''\n`;
  expect(problemsOf(text)).toMatchObject([
    { path: 'approval.how', expected: 'a list of ways', received: '"button"', example: 'how: [button]' },
    { path: 'stages', received: '""' },
  ]);
});

test('a problem is one sentence that names the path and line', () => {
  const text = (written: string) => problemsOf(written).map(problemText)[0];
  expect(text(`version: 1\n${agent}sandbox: maybe`)).toBe(
    'sandbox (line 3): expected required, preferred or off; received "maybe"',
  );
  expect(text('version: 1\nversion: 1')).toBe(
    'the configuration (line 2, column 1): expected valid YAML; received duplicated mapping key',
  );
});

test('a user name without quotes is reported with the fix', () => {
  const [problem] = problemsOf(`version: 1\n${agent}approval: { by: [@ada] }`);
  expect(problem?.expected).toBe("valid YAML (a name with @ needs quotes: '@ada')");
});

test('an empty file is reported with a complete example', () => {
  expect(problemsOf('# nothing yet\n')[0]).toMatchObject({ path: '', example: minimalConfig() });
});

test.each(['- 1', 'hello', '42', 'null'])('%j is not a mapping', (text) => {
  expect(problemsOf(text)[0]?.expected).toBe('a mapping of keys, beginning with `version: 1`');
});

test('a file with too many aliases is refused', () => {
  const aliases = Array.from({ length: 21 }, () => '*a').join(', ');
  expect(problemsOf(`a: &a x\nb: [${aliases}]`)[0]?.received).toMatch(/alias/);
});

test('a file that is too long or too deep is refused', () => {
  expect(problemsOf(`# ${'x'.repeat(70_000)}`)[0]?.received).toBe('70002 bytes');
  expect(problemsOf('['.repeat(50))[0]?.received).toMatch(/depth|nest/);
});

test('a byte order mark is accepted', () => {
  expect(settingsOf(`\uFEFFversion: 1\n${agent}`).attempts.max).toBe(3);
});

test('a key such as __proto__ is an unknown key', () => {
  const [problem] = problemsOf(`version: 1\n${agent}__proto__: { sandbox: off }`);
  expect(problem?.received).toBe('the unknown key "__proto__"');
});

test.each([
  ['verify_against: both', 'verify_against', 'head or merge'],
  ['proof: maybe', 'proof', 'on or off'],
  ['tests: spec', 'tests', 'a list of globs'],
  ['tests: ["spec/{a"]', 'tests[0]', 'braces and brackets are closed'],
  ['tests: ["**/*a*a*a*a*a*a*b"]', 'tests[0]', 'at most 6 times'],
  ['tests: ["+(a|aa)+"]', 'tests[0]', 'a glob such as'],
  ['approval: { mode: yolo }', 'approval.mode', 'manual, auto or confidence_threshold'],
  ['approval: { threshold: 1.5 }', 'approval.threshold', 'a number from 0 to 1'],
  ['approval: { on_timeout: merge }', 'approval.on_timeout', 'proceed, hold or deny'],
  ['approval: { new_history: -1 }', 'approval.new_history', 'a whole number from 0 to 100'],
  ['approval: { auto_proceed_after: soon }', 'approval.auto_proceed_after', 'a duration from 1s to 30d'],
  ['approval: { by: ["@acme/core/x"] }', 'approval.by[0]', 'a team such as "@acme/core"; or codeowners'],
  ['approval: { by: [code-owners] }', 'approval.by[0]', '"@acme/core"; or codeowners'],
  ['approval: { by: [read] }', 'approval.by[0]', 'everyone may read a public repository'],
  ['approval: { protected_paths: ["a/**"] }', 'approval.protected_paths[0]', '`paths` and `by`'],
  [
    'approval: { protected_paths: [{ paths: "/a", by: [write] }] }',
    'approval.protected_paths[0].paths',
    'without a slash at the beginning',
  ],
  [
    `approval: { protected_paths: [{ paths: "${'{a,b}'.repeat(20)}", by: [write] }] }`,
    'approval.protected_paths[0].paths',
    'a glob of at most 200 characters',
  ],
  [
    'approval: { protected_paths: [{ paths: a, by: [codeowners] }] }',
    'approval.protected_paths[0].by[0]',
    'codeowners belongs in approval.by',
  ],
  ['approval: { required: 2, by: ["@ada"] }', 'approval.required', 'at most 1'],
  ['gates: { deletes-files: off }', 'gates.deletes-files', 'one of rules, severity, off'],
])('%s is recognized and refused with the reason', (line, path, expected) => {
  const text = line.startsWith('agent') ? `version: 1\n${line}` : `version: 1\n${agent}${line}`;
  const problem = problemsOf(text)[0];
  expect(problem?.path).toBe(path);
  expect(problem?.expected).toContain(expected);
});

test('what may happen without people is read, and whether it was written out', () => {
  const { approval } = settingsOf(
    `version: 1\n${agent}approval: { mode: auto, new_history: 0, auto_proceed_after: 45s, on_timeout: proceed }`,
  );
  expect(approval).toMatchObject({
    mode: 'auto',
    new_history: 0,
    auto_proceed_after_s: 45,
    on_timeout: 'proceed',
    on_timeout_written: true,
  });
  expect(settingsOf(`version: 1\n${agent}approval: { mode: auto }`).approval).not.toHaveProperty(
    'on_timeout_written',
  );
});

test('teams, code owners and protected paths are read', () => {
  const { approval } = settingsOf(
    `version: 1\n${agent}approval: { required: 3, by: [codeowners, "@acme/core"], ` +
      'protected_paths: [{ paths: "infra/**", by: ["@acme/platform"] }, { paths: [a, b/], by: [admin] }] }',
  );
  expect(approval).toMatchObject({
    by: [{ codeowners: true }, { team: 'acme/core' }],
    protected_paths: [
      { paths: ['infra/**'], by: [{ team: 'acme/platform' }] },
      { paths: ['a', 'b/'], by: [{ role: 'admin' }] },
    ],
  });
});

test('two verifiers whose names differ only in case are refused', () => {
  const [problem] = problemsOf(
    `version: 1\n${agent}verifiers: [{ name: test, run: a }, { name: Test, run: b }]`,
  );
  expect(problem).toMatchObject({ path: 'verifiers[1].name', received: '"Test"', line: 3 });
});

test("a verifier's name cannot contain a path", () => {
  expect(problemsOf(`version: 1\n${agent}verifiers: [{ name: ../x, run: a }]`)[0]?.path).toBe(
    'verifiers[0].name',
  );
});

test.each(['0s', '-5m', '10', '10 m', '1h30m', '25h', '999999d'])(
  '%s is not a valid time limit',
  (timeout) => {
    const text = `version: 1\nagent: { use: scripted, script: a, timeout: ${timeout} }`;
    expect(problemsOf(text)[0]?.expected).toMatch(/^a duration from 1s to 24h/);
  },
);

test('reading never throws, whatever the file contains', () => {
  const operator = {
    bounds: { agents: [], commands: [], sandbox: 'required', limits: { minutes: 1 } },
  } as const;
  const words = fc.constantFrom(
    'version: 1',
    'agent: ',
    '{',
    '}',
    '[',
    '*a',
    '&a',
    '- ',
    '\n',
    '  ',
    '"',
    '@',
    ':',
  );
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(words).map((each) => each.join('')),
  );
  fc.assert(
    fc.property(text, (written) => {
      const reading = readConfig(written, where, operator);
      if (reading.outcome === 'misconfigured') expect(reading.problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});

test('no problem hides another, also where values must go together', () => {
  const text = `version: 2
agent: { use: command, command: [node], timeout: soon }
verifiers:
  - { name: test, run: npm test, timeout: 5 }
  - { name: test, run: npm run lint }
bases: [{ branches: [main] }]
aproval: { required: 0 }
approval: { required: many }
`;
  const paths = problemsOf(text, { bounds: { sandbox: 'required' } }).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['version', 'agent.timeout', 'verifiers[0].timeout']));
  expect(paths).toEqual(expect.arrayContaining(['verifiers[1].name', 'aproval', 'approval.required']));
  expect(paths).toContain('bases[0].branches');
  expect(new Set(paths).size).toBe(paths.length);
});

test.each(['"  "', '"# npm test"', '"\\n  # one\\n\\t# two"'])(
  'a verifier that runs %s cannot be green',
  (run) => {
    const [problem] = problemsOf(`version: 1\n${agent}verifiers: [{ name: test, run: ${run} }]\n`);
    expect(problem).toMatchObject({
      path: 'verifiers[0].run',
      expected: expect.stringContaining('not only spaces'),
    });
  },
);

test.each([
  ['version: 1\n# caf\uFFFD\n', { line: 2, expected: 'text in UTF-8', received: 'bytes that are not UTF-8' }],
  [
    'agent: &a\n  - *a',
    {
      expected: 'values that do not contain themselves',
      received: 'an alias within what it is for, such as `- *a` below `&a`',
    },
  ],
  ['v\0e\0', { expected: 'text in UTF-8', received: 'null bytes, as in UTF-16' }],
  ['', { expected: 'a configuration', received: 'a file without one' }],
  ['\n# later\n   \n', { expected: 'a configuration', received: 'a file without one' }],
])('%j is no configuration, in our own words', (text, problem) => {
  expect(problemsOf(text)).toMatchObject([problem]);
});
