import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askAgent } from '../../../src/cli/init.ts';
import { askYes, Conversation, NotAnswered } from '../../../src/cli/terminal/ask-person.ts';

/** A conversation in which these lines are typed; without one more, its end is. */
function conversation(...lines: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const left = [...lines];
  let shown = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (!/(?:\]|\?) ?(?:\[Y\/n\] |: )$/.test(shown)) return;
    const line = left.shift();
    // Typed once the question is there.
    setImmediate(() => (line === undefined ? input.end() : input.write(`${line}\n`)));
  });
  return { terminal: new Conversation({ input, output }), shown: () => shown };
}

test.each([
  ['', 'claude'],
  ['2', 'codex'],
  [' Gemini ', 'gemini'],
])('the answer %j chooses %s', async (answer, agent) => {
  expect(await askAgent(conversation(answer).terminal, 'claude')).toBe(agent);
});

test('what is none of the agents is asked again', async () => {
  const { terminal, shown } = conversation('0', 'clod', 'codex');
  expect(await askAgent(terminal, 'claude')).toBe('codex');
  expect(shown()).toContain('There is no agent "clod" in this list.');
});

test('what is typed ahead answers the next question', async () => {
  const input = new PassThrough();
  const terminal = new Conversation({ input, output: new PassThrough() });
  input.write('clod\n2\nno\n');
  expect(await askAgent(terminal, 'claude')).toBe('codex');
  expect(await askYes(terminal, 'Write?')).toBe(false);
});

test.each([
  ['', true],
  ['Y', true],
  ['n', false],
  ['what?', false],
])('%j means %s', async (answer, yes) => {
  expect(await askYes(conversation(answer).terminal, 'Write?')).toBe(yes);
});

test('whoever ends the conversation has agreed to nothing', async () => {
  await expect(askYes(conversation().terminal, 'Write?')).rejects.toThrow(NotAnswered);
});
