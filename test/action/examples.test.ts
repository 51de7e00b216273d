import { readFileSync } from 'node:fs';
import { dump, load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '../../src/config/read.ts';
import { profiles } from '../../src/profiles/index.ts';
import { action, example } from './workflow.ts';

/** The shortest way to an agent: what people copy, held to its size. */
const short = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  jobs: z.object({
    coxswain: z.object({
      steps: z.tuple([
        z.object({ with: z.record(z.string(), z.string()), env: z.record(z.string(), z.string()) }),
      ]),
    }),
  }),
});

const manual = z.object({
  workflow_dispatch: z.object({ inputs: z.record(z.string(), z.object({ description: z.string() })) }),
});

describe.each(['claude', 'codex'] as const)('examples/%s.yml', (name) => {
  const text = readFileSync(`examples/${name}.yml`, 'utf8');
  const { on, permissions, jobs } = short.parse(load(text));
  const [{ with: inputs, env }] = jobs.coxswain.steps;

  test('has at most 20 lines, and one secret', () => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(20);
    const [key, ...others] = Object.keys(env);
    expect(others).toEqual([]);
    expect(profiles[name].keys).toContain(key);
    expect(env).toEqual({ [String(key)]: `\${{ secrets.${key} }}` });
  });

  test('listens to what the long example listens to, but for manual starts, with the same permissions', () => {
    const { workflow_dispatch: _, schedule: __, ...events } = example.on;
    const { schedule, workflow_dispatch: ___, ...own } = on;
    expect(own).toEqual(events);
    expect(schedule).toEqual(example.on.schedule);
    expect(permissions).toEqual(example.permissions);
  });

  test('is started manually with a task, or with a command for a run', () => {
    const { inputs: offered } = manual.parse(on).workflow_dispatch;
    expect(Object.keys(offered)).toEqual(['prompt', 'run', 'command']);
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(offered)));
  });

  test('has inputs that the action knows, and that are a configuration', () => {
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const [verifier = '', run = ''] = String(inputs['verifiers']).split(': ');
    const written = {
      version: 1,
      agent: inputs['agent'],
      setup: [inputs['setup']],
      verifiers: [{ name: verifier, run }],
    };
    const reading = readConfig(dump(written), { path: 'inputs', ref: 'main' });
    expect(reading).toMatchObject({ outcome: 'configured', settings: { agent: { use: name } } });
  });
});

test('a configuration for an agent with a budget has at most 10 lines', () => {
  const text = readFileSync('examples/coxswain-claude.yml', 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  expect(readConfig(text, { path: '.github/coxswain.yml', ref: 'main' })).toMatchObject({
    outcome: 'configured',
    settings: { agent: { use: 'claude', model: 'sonnet' }, limits: { cost_usd: 5, minutes: 30 } },
  });
});
