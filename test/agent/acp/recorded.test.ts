import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ProfileName, profiles } from '../../../src/profiles/index.ts';
import { converse, type Line, type Message } from './conversing.ts';

/**
 * What real agents sent, played to the adapter by a program in their place. A recording is a file of JSON lines
 * `{"from": "agent" | "client", "message": {…}}`, named after the profile and what happens in it, such as
 * `codex.jsonl` or `codex-hangs.jsonl`. Beside it is what becomes of it; `vitest --update` writes that anew.
 */
const folder = new URL('recorded/', import.meta.url);
const names = readdirSync(folder).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -6)] : []));

test.each(names)('%s is understood', async (name) => {
  const lines = linesOf(name);
  const agent = { use: profileIn(name), model: 'gpt-5.5' };
  const { run, events, asked, heard, seen } = await converse(lines, {
    agent,
    decide: decisionsIn(lines),
  });
  const outcome = await run.done;
  const understood = [...asked, ...events, outcome].map((each) => `${JSON.stringify(each)}\n`).join('');
  const text = understood.replaceAll(seen, '/workspace');
  await expect(text).toMatchFileSnapshot(`recorded/${name}.understood.txt`);
  expect(heard().map(({ method }) => method)).toEqual(
    messagesOf(lines, 'client').map((message) => message['method']),
  );
});

function linesOf(name: string): readonly Line[] {
  const text = readFileSync(new URL(`${name}.jsonl`, folder), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function profileIn(name: string): ProfileName {
  const found = Object.keys(profiles).find((each) => name.split('-')[0] === each);
  if (found === undefined) throw new Error(`the recording ${name} is not named after a profile`);
  return found as ProfileName; // a key of the profiles
}

function messagesOf(lines: readonly Line[], by: Message['from']): readonly Message['message'][] {
  // Whatever has a sender is a message.
  const messages = lines.filter((line) => 'from' in line) as readonly Message[];
  return messages.flatMap(({ from, message }) => (from === by ? [message] : []));
}

/** Decides as it was decided when it was recorded, one request after the other. */
function decisionsIn(lines: readonly Line[]) {
  const requests = messagesOf(lines, 'agent').filter(
    (message) => message['method'] === 'session/request_permission',
  );
  const answers = messagesOf(lines, 'client').filter((message) => message['method'] === undefined);
  const allowed = requests.map(({ id, params }) => {
    const answer = answers.find((message) => message['id'] === id);
    return optionsIn(params).find(({ optionId }) => optionId === chosenIn(answer))?.kind === 'allow_once';
  });
  let next = 0;
  return async () =>
    allowed[next++] ? ({ allow: true } as const) : ({ allow: false, reason: 'nobody allowed it' } as const);
}

function optionsIn(params: unknown): readonly { optionId: string; kind: string }[] {
  return (params as { options: { optionId: string; kind: string }[] }).options; // as the protocol has it
}

function chosenIn(answer: Message['message'] | undefined): string | undefined {
  return (answer as { result?: { outcome?: { optionId?: string } } } | undefined)?.result?.outcome?.optionId;
}
