import { describe, expect, test } from 'vitest';
import { ProgressOf } from '../../src/agent/port/agent-activity.ts';
import type { AgentEvent } from '../../src/agent/port/agent-adapter.ts';

const secret = 'correct-horse-battery-staple-42';

function shownAfter(...events: readonly AgentEvent[]) {
  const progress = new ProgressOf();
  for (const event of events) progress.see(event);
  return progress.now({}, { near: [], secrets: [secret] });
}

const says = (text: string): AgentEvent => ({ type: 'text', text });

describe('what an agent says', () => {
  test('is shown word by word, but for a word that may be the beginning of a secret', () => {
    expect(shownAfter(says('Reading the cl')).saying).toBe('Reading the cl');
    expect(shownAfter(says(`The key is ${secret.slice(0, 20)}`)).saying).toBe('The key is ');
    expect(shownAfter(says(`The key is ${secret.slice(0, 20)}`), says(`${secret.slice(20)} `)).saying).toBe(
      'The key is [REDACTED] ',
    );
  });

  test('is not over because the agent reports what it has used', () => {
    const used: AgentEvent = { type: 'usage', tokens: 5 };
    expect(shownAfter(says(`The key is ${secret.slice(0, 20)}`), used).saying).toBe('The key is ');
  });

  test('is shown whole as soon as the agent does something else', () => {
    const open: AgentEvent = { type: 'tool_open', id: '1', kind: 'execute', title: 'ls' };
    expect(shownAfter(says('See src/internationalization.ts'), open).saying).toBe(
      'See src/internationalization.ts',
    );
  });

  test('is cut without leaving a part of a secret', () => {
    const { saying } = shownAfter(says(`${secret} ${'x '.repeat(990)}`));
    expect(saying).not.toContain('staple');
    expect(saying.length).toBeLessThanOrEqual(2000);
  });
});

test('a command is cut without leaving a part of a secret', () => {
  const command = `curl -H ${'a'.repeat(180)} ${secret}`;
  const { last } = shownAfter({ type: 'tool_open', id: '1', kind: 'execute', title: command, command });
  expect(last[0]?.command).toMatch(/^curl -H a{180} \[REDACTED\]$/);
  expect(JSON.stringify(last)).not.toContain(secret.slice(0, 8));
});
