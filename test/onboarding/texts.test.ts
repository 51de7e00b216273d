import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { configPath } from '../../src/config/schema.ts';
import type { Findings } from '../../src/onboarding/ecosystems/ecosystem.ts';
import { configurationText, placeholderLine, workflowText } from '../../src/onboarding/setup-files.ts';
import { scoreOf } from '../../src/steering/shapes/score.ts';

const where = { path: configPath, ref: 'main' };
const nothing: Findings = { found: [], setup: [], verifiers: [], needs: [], notes: [] };

test('the configuration says where each command is from', () => {
  const setup = [{ run: 'npm ci', from: 'package-lock.json' }];
  const verifiers = [
    { name: 'test', run: 'npm test', from: 'script "test" in package.json' },
    { name: 'lint', run: 'npm run lint', from: 'script "lint" in package.json' },
  ];
  expect(configurationText({ ...nothing, setup, verifiers }, 'claude')).toMatchInlineSnapshot(`
    "# Coxswain: which agent works on this repository, and what judges its work.
    # This file counts on the default branch only; \`coxswain check\` tells what is wrong with it.
    version: 1

    agent: claude

    # By default an agent sets to work at once. With plan-first, people approve its plan before the work begins;
    # with reviewed, an agent in a session of its own reads what was done. To have one, remove the #.
    #stages: plan-first

    # They run before the agent and before the verifiers, and reach the public registries of packages.
    setup:
      - npm ci  # package-lock.json

    # Their exit codes say whether the work is right. They run without network, in a clean checkout after the
    # agent, and each of them should already pass on the default branch.
    verifiers:
      - { name: test, run: npm test }      # script "test" in package.json
      - { name: lint, run: npm run lint }  # script "lint" in package.json
    "
  `);
});

test('where nothing was found it says what that means', () => {
  const text = configurationText(nothing, 'claude');
  expect(text).toMatchInlineSnapshot(`
    "# Coxswain: which agent works on this repository, and what judges its work.
    # This file counts on the default branch only; \`coxswain check\` tells what is wrong with it.
    version: 1

    agent: claude

    # By default an agent sets to work at once. With plan-first, people approve its plan before the work begins;
    # with reviewed, an agent in a session of its own reads what was done. To have one, remove the #.
    #stages: plan-first

    # Commands to run before the agent and before the verifiers.
    setup: []

    # Commands whose exit codes say whether the work is right. None was found here: until there is one,
    # only people judge the work, and its confidence stays at 0.79 or below.
    # To add one, remove the brackets and the # below them.
    verifiers: []
    #  - { name: test, run: make test }
    "
  `);
  const all = { total: 1, succeeded: 1 };
  const others = { reviewer: null, retries: 0, max_retries: 2, destructive: false, uncertain: false };
  const best = scoreOf({ ...others, verifiers: { passed: 0, total: 0 }, tool_calls: all });
  expect(text).toContain(`stays at ${best.score} or below`);
});

test.each([
  'npm test',
  'cd web && npm test',
  "cd 'a b' && x: y # z",
  'python -m pip install -r a.txt "b[c]"',
  '! grep -rn "x" src | wc -l, {a: b}',
  'true',
  '- x',
  '*x',
  'echo "é" \\',
])('whatever the command, our own reader gets it back: %s', (run) => {
  const findings = {
    ...nothing,
    setup: [{ run, from: 'a' }],
    verifiers: [{ name: 'test', run, from: 'x\ny' }],
  };
  const reading = readConfig(configurationText(findings, 'codex'), where);
  expect(reading).toMatchObject({
    outcome: 'configured',
    settings: { agent: { use: 'codex' }, setup: [run], verifiers: [{ name: 'test', run }] },
  });
});

test('the stages that it offers are there without the #', () => {
  const text = configurationText(nothing, 'claude').replace('#stages:', 'stages:');
  expect(readConfig(text, where)).toMatchObject({
    settings: { stages: [{ name: 'plan', approve: true }, { name: 'implement' }] },
  });
});

test('without an agent it is valid where the operator has chosen one', () => {
  const defaults = { agent: { use: 'codex' as const, timeout_s: 1 } };
  const text = configurationText(nothing, undefined);
  expect(readConfig(text, where, { defaults }).outcome).toBe('configured');
});

describe('the workflow', () => {
  const example = readFileSync(new URL('../../examples/claude.yml', import.meta.url), 'utf8');
  const wanted = {
    example,
    agentTitle: 'Codex',
    key: 'OPENAI_API_KEY',
    action: 'acme/coxswain@v1',
    needs: [],
  };

  test('is the example but for what the configuration says', () => {
    const lines = (text: string) => text.split('\n');
    const text = workflowText({ ...wanted, needs: [{ name: 'uv', install: 'pipx install uv' }] });
    expect(lines(text).filter((line) => !lines(example).includes(line))).toMatchInlineSnapshot(`
      [
        "# Coxswain with Codex. What it may do, and what judges its work, is in .github/coxswain.yml.",
        "      - run: pipx install uv",
        "      - uses: acme/coxswain@v1",
        "        env: { OPENAI_API_KEY: '\${{ secrets.OPENAI_API_KEY }}' }",
      ]
    `);
    expect(lines(example).filter((line) => !lines(text).includes(line))).toMatchInlineSnapshot(`
      [
        "# .github/workflows/coxswain.yml: Claude Code on pull requests, with one secret. Nothing else is needed.",
        "      - uses: your-name/coxswain@v0",
        "        with: { agent: claude, setup: npm ci, verifiers: 'test: npm test' }",
        "        env: { ANTHROPIC_API_KEY: '\${{ secrets.ANTHROPIC_API_KEY }}' }",
      ]
    `);
  });

  test('of which the example has lost a line is our own mistake', () => {
    expect(() => workflowText({ ...wanted, example: example.replace('uses:', 'used:') })).toThrow(
      'the example of a workflow has no line like',
    );
  });

  test('tells where it still names no release', () => {
    expect(placeholderLine(workflowText(wanted))).toBeUndefined();
    const text = workflowText({ ...wanted, action: 'your-name/coxswain@v0' });
    expect(text.split('\n')[(placeholderLine(text) ?? 0) - 1]).toBe('      - uses: your-name/coxswain@v0');
  });
});
