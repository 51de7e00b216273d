/**
 * A program that speaks the Agent Client Protocol and does what its prompt says, such as `agent: ask rm -rf build`:
 * for a repository on the forge. `wait` works until it is told something else.
 */
export const protocolAgent = `import { appendFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

const waiting = new Map();
let ids = 0;
let turn;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const request = (method, params) =>
  new Promise((resolve) => {
    const id = 'a' + ++ids;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const update = (sessionId, update) => send({ method: 'session/update', params: { sessionId, update } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

async function ask(sessionId, command) {
  const toolCallId = 't' + ++ids;
  const call = { toolCallId, title: command, kind: 'execute', rawInput: { command } };
  update(sessionId, { sessionUpdate: 'tool_call', status: 'pending', ...call });
  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const { outcome } = await request('session/request_permission', { sessionId, toolCall: call, options });
  const isAllowed = outcome.optionId === 'yes';
  update(sessionId, {
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status: isAllowed ? 'completed' : 'failed',
    rawOutput: { exitCode: isAllowed ? 0 : 1 },
  });
  return isAllowed;
}

async function run(sessionId, command) {
  const toolCallId = 't' + ++ids;
  const call = { toolCallId, title: command, kind: 'execute', rawInput: { command } };
  update(sessionId, { sessionUpdate: 'tool_call', status: 'pending', ...call });
  const done = { toolCallId, status: 'completed', rawOutput: { exitCode: 0 } };
  update(sessionId, { sessionUpdate: 'tool_call_update', ...done });
}

const orders = {
  work: async () => writeFileSync('src/0.txt', 'fine\\n'),
  sign: async () => appendFileSync('src/0.txt', basename(process.argv[1]) + '\\n'),
  ask: async (id, command) => writeFileSync('src/0.txt', (await ask(id, command)) ? 'allowed\\n' : 'denied\\n'),
  twice: async (id, command) => {
    const answers = [await ask(id, command), await ask(id, command)];
    writeFileSync('src/0.txt', answers.join(' ') + '\\n');
  },
  run: async (id, command) => {
    await run(id, command);
    writeFileSync('src/0.txt', 'fine\\n');
  },
  again: async (id, command) => {
    await run(id, command);
    await ask(id, command);
  },
  calls: async (id) => {
    for (let n = 0; n < 50; n += 1) await run(id, 'true ' + n);
    await new Promise((_, reject) => (turn.cancel = () => reject(new Error('cancelled'))));
  },
  wait: (id) => {
    say(id, 'working on it');
    return new Promise((_, reject) => (turn.cancel = () => reject(new Error('cancelled'))));
  },
};

async function prompted(sessionId, text) {
  turn = {};
  // People's own words, without what they are told about how to work.
  const found = [...text.matchAll(/agent: (\\w+)(?: (.+))?/g)].at(-1) ?? [];
  const [, order = 'work', subject = ''] = found;
  try {
    await orders[order](sessionId, subject);
  } catch {
    return { stopReason: 'cancelled' };
  }
  say(sessionId, 'Did ' + order);
  return { stopReason: 'end_turn' };
}

const methods = {
  initialize: async () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': async () => ({ sessionId: 's1' }),
  'session/prompt': ({ sessionId, prompt }) => prompted(sessionId, prompt.map(({ text = '' }) => text).join('\\n')),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (method === 'session/cancel') turn?.cancel?.();
  else (methods[method] ?? (async () => ({})))(params).then((answer) => id !== undefined && send({ id, result: answer }));
}
process.exit(0);
`;

export const protocolConfig = `version: 1
agent: { use: acp, command: [node, tools/acp-agent.mjs], timeout: 60s }
verifiers:
  - { name: test, run: "! grep -rn BROKEN src" }
permissions: { hold: 1m }
`;
