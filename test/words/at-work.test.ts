import { describe, expect, test } from 'vitest';
import type { Progress } from '../../src/steering/shapes/agent-progress.ts';
import { atWorkIn, atWorkText, isAtWorkOn, stageText } from '../../src/words/status-text.ts';
import { aState, awaiting } from '../github/show/state.ts';
import { ada, planFirst } from '../steering/samples.ts';
import { story } from '../steering/story.ts';

const now = new Date('2026-11-21T10:03:20Z');

const progress: Progress = {
  stage: 'agent',
  since: '2026-11-21T10:00:00Z',
  cost: { usd: 0.42, tokens: 120_000 },
  near: ['90 of 100 tool calls of this attempt are used (`limits.tool_calls`).'],
  calls: { total: 12, failed: 1, denied: 2 },
  last: [
    { kind: 'read', title: 'Read a.ts', outcome: 'ok' },
    { kind: 'execute', title: 'Test', command: 'npm test', outcome: 'failed' },
  ],
  saying: 'Almost there',
};

const verifying = () => {
  const { standing } = aState();
  if (standing.phase !== 'working') throw new Error('the sample works');
  return aState({ standing: { phase: 'verifying', hold: standing.hold, work: 'verify_attempt' } });
};

describe('what is at work, in one line', () => {
  test('says for how long, with what, what it cost and what it does', () => {
    expect(atWorkText(aState(), progress, now)).toBe(
      '**The agent is at work** (iteration 0, attempt 1): 3 min, 12 tool calls (1 failed, 2 denied), ' +
        '0.42 USD, 120,000 tokens; the last one: `npm test` (failed). ' +
        '90 of 100 tool calls of this attempt are used (`limits.tool_calls`). <sub>10:03 UTC</sub>',
    );
  });

  test('says that a second opinion is asked for, after what the verifiers said', () => {
    const result = { success: true, duration_s: 2 };
    const verifiers = [{ name: 'test', required: true, result }];
    const calls = { total: 0, failed: 0, denied: 0 };
    const asked = {
      ...progress,
      stage: 'verifiers',
      verifiers,
      trial: 'review',
      calls,
      near: [],
      cost: {},
    } as const;
    expect(atWorkText(verifying(), asked, now)).toBe(
      '**The verifiers are at work** (iteration 0, attempt 1): 3 min, and a second agent is now reviewing the change; ' +
        '`test` passed after 2.0 s. <sub>10:03 UTC</sub>',
    );
    expect(stageText(asked)).toBe('the second opinion');
  });

  test('leaves out what is not known', () => {
    const calls = { total: 0, failed: 0, denied: 0 };
    const bare = { ...progress, since: now.toISOString(), cost: {}, near: [], calls, last: [] };
    expect(atWorkText(aState(), bare, now)).toBe(
      '**The agent is at work** (iteration 0, attempt 1): under a minute. <sub>10:03 UTC</sub>',
    );
    expect(atWorkText(verifying(), bare, now)).toMatch(/^\*\*The verifiers are at work\*\* /);
  });

  test('names the stage where there are several, and is not about another one', () => {
    const { settings } = aState();
    const planning = aState({ stage: 'plan', settings: { ...settings, stages: planFirst } });
    const line = atWorkText(planning, progress, now) ?? '';
    expect(line).toMatch(/^\*\*The agent is at work\*\* \(iteration 0, attempt 1, stage plan\): 3 min/);
    expect(isAtWorkOn(line, planning)).toBe(true);
    expect(isAtWorkOn(line, { ...planning, stage: 'implement' })).toBe(false);
  });

  test('names each verifier with how far it is', () => {
    const verifiers = [
      { name: 'lint', required: true, result: { success: true, duration_s: 2 } },
      { name: 'test', required: true, since: '2026-11-21T10:02:50Z' },
      { name: 'build', required: true },
    ];
    expect(atWorkText(verifying(), { ...progress, stage: 'verifiers', near: [], verifiers }, now)).toContain(
      'tokens; `lint` passed after 2.0 s, `test` running for 30 s, `build` not started. <sub>',
    );
  });

  test('is nothing while a human is asked, or allowed work is only pushed', () => {
    const asking = story().starts().engine.takes().agent.asks();
    const allowed = story().starts().agent.isHeld().says(ada, '/allow').engine.takes();
    for (const state of [awaiting(), asking.state, allowed.state]) {
      expect(atWorkText(state, progress, now)).toBeUndefined();
      expect(atWorkText(state, { ...progress, stage: 'setup' }, now)).toBeUndefined();
    }
  });

  test('is no agent while its attempt is set up', () => {
    const line = atWorkText(aState(), { ...progress, stage: 'setup', last: [] }, now) ?? '';
    expect(line).toMatch(/^\*\*Setting up\*\* \(iteration 0, attempt 1\): 3 min, /);
    expect(atWorkIn(`Something\n\n${line}\nMore`)).toBe(line);
    expect(isAtWorkOn(line, aState())).toBe(true);
    expect(isAtWorkOn(line, verifying())).toBe(false);
  });

  test('stays one line of inert text, whatever the agent calls', () => {
    const title = 'x`\n\n<!-- coxswain:end -->\n@ada **hi** [a](http://b)';
    const line = atWorkText(aState(), { ...progress, last: [{ kind: 'other', title }] }, now) ?? '';
    expect(line.split('\n')).toHaveLength(1);
    expect(line).not.toContain('<!--');
    expect(line).toContain('``x` ');
  });

  test('is found again, and belongs to one attempt', () => {
    const line = atWorkText(aState(), progress, now) ?? '';
    expect(atWorkIn(`Something\r\n\r\n${line}\r\nMore`)).toBe(line);
    expect(isAtWorkOn(line, aState())).toBe(true);
    expect(isAtWorkOn(line, aState({ attempt: 2 }))).toBe(false);
    expect(isAtWorkOn(line, verifying())).toBe(false);
    expect(isAtWorkOn(line, awaiting())).toBe(false);
  });
});
