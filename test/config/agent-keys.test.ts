import { expect, test } from 'vitest';
import { modelProblem } from '../../src/config/model-problem.ts';

const network = { setup: [], agent: ['model'], verifiers: [] };
const claude = { agent: { use: 'claude', timeout_s: 60 }, network } as const;
const none = { names: [], hasOthers: false };

test('an agent whose key is there may reach its model, and one without is told which is expected', () => {
  expect(modelProblem(claude, { names: ['ANTHROPIC_API_KEY'], hasOthers: false })).toBeUndefined();
  expect(modelProblem(claude, { names: ['OPENAI_API_KEY'], hasOthers: false })).toContain(
    'expected one of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, CLAUDE_CODE_OAUTH_TOKEN where Coxswain runs',
  );
});

test('whoever has added hosts, or a program of their own, knows best', () => {
  expect(modelProblem(claude, { names: [], hasOthers: true })).toBeUndefined();
  const command = { agent: { use: 'command', command: ['a'], timeout_s: 60 }, network } as const;
  expect(modelProblem(command, none)).toBeUndefined();
});

test('an agent that may reach no model is told so, whatever keys there are', () => {
  const closed = { ...claude, network: { ...network, agent: ['registries'] } };
  expect(modelProblem(closed, { names: ['ANTHROPIC_API_KEY'], hasOthers: true })).toContain(
    '`network.agent`',
  );
  const open = { ...claude, network: { ...network, agent: ['open'] } };
  expect(modelProblem(open, { names: ['ANTHROPIC_API_KEY'], hasOthers: false })).toBeUndefined();
});

test('where the operator forbids models, nobody is sent to the configuration', () => {
  const closed = { ...claude, network: { ...network, agent: [] } };
  const bound = { setup: [], agent: ['npm.example.com'], verifiers: [] };
  const problem = modelProblem(closed, none, bound);
  expect(problem).toContain("the operator's bound network.agent allows npm.example.com, none");
  expect(problem).not.toContain('configuration');
  for (const allowed of ['model', 'open'])
    expect(modelProblem(closed, none, { ...bound, agent: [allowed] })).toContain('in the configuration');
});
