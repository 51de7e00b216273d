// An agent that plays a recording of a conversation: what is from the agent is said, what is from the client
// is waited for. Lines with `do` are what only a broken agent does. All that is heard is written down beside it.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

const [, , recording] = process.argv;
const lines = readFileSync(recording, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const heard = [];
let servers = [];
const ids = new Map();
let wake = () => undefined;
let staysAtEnd = false;
let hasEnded = false;

const say = (message) => writeAll(1, `${JSON.stringify(message)}\n`);

function writeAll(to, text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(to, rest));
    } catch (fault) {
      if (fault.code === 'EPIPE') process.exit(0);
      if (fault.code !== 'EAGAIN') throw fault;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // the pipe is full
    }
  }
}

async function expected(line) {
  for (;;) {
    const index = heard.findIndex((message) => fits(message, line.message));
    if (index >= 0) return heard.splice(index, 1)[0];
    await new Promise((resolve) => {
      wake = resolve;
    });
  }
}

function fits(message, wanted) {
  if (wanted.method !== undefined) return message.method === wanted.method;
  if (message.method !== undefined || message.id !== wanted.id) return false;
  return wanted.result === undefined || isDeepStrictEqual(message.result, wanted.result);
}

/** Calls the tool of the first server of tools that it was given, and writes down what it is told. */
function callTool({ path, arguments: given }) {
  const [{ command, args }] = servers;
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const tell = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  tell({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  });
  return new Promise((resolve) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        tell({ method: 'notifications/initialized' });
        tell({ id: 2, method: 'tools/call', params: { name: 'ask_human', arguments: given } });
      }
      if (id !== 2) return;
      writeFileSync(path, result.content[0].text);
      server.kill();
      resolve();
    });
  });
}

const deeds = {
  tool: callTool,
  exit: ({ code }) => process.exit(code),
  kill: () => process.kill(process.pid, 'SIGKILL'),
  raw: ({ text }) => writeAll(1, text),
  stderr: ({ text, times = 1 }) => {
    for (let index = 0; index < times; index++) writeAll(2, text);
  },
  huge: ({ bytes }) => {
    for (let left = bytes; left > 0; left -= 1024 * 1024) writeAll(1, 'x'.repeat(1024 * 1024));
    writeAll(1, '\n');
  },
  repeat: ({ times, message }) => {
    const text = JSON.stringify(message);
    for (let index = 0; index < times; index++)
      say(JSON.parse(text.replaceAll('"#"', String(index)).replaceAll('#', String(index))));
  },
  write: ({ path, content }) => writeFileSync(path, content),
  environment: ({ path }) => writeFileSync(path, JSON.stringify(process.env)),
  list: ({ paths, path }) =>
    writeFileSync(path, JSON.stringify(Object.fromEntries(paths.map((each) => [each, contentOf(each)])))),
  until: async ({ path }) => {
    while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  ended: async () => {
    while (!hasEnded) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  wait: () => new Promise((resolve) => setTimeout(resolve, 1 << 30)),
  stay: () => {
    staysAtEnd = true;
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1 << 30);
  },
};

function contentOf(path) {
  try {
    if (path !== '.git') return readFileSync(path, 'utf8');
    writeFileSync(path, readFileSync(path));
    return 'writable';
  } catch (fault) {
    return fault.code === 'EROFS' ? 'read-only' : null;
  }
}

async function play() {
  for (const line of lines) {
    if (line.do !== undefined) await deeds[line.do](line);
    else if (line.from === 'client') {
      const message = await expected(line);
      if (message.method !== undefined && message.id !== undefined) ids.set(line.message.id, message.id);
    } else if (line.message.method === undefined) say({ ...line.message, id: ids.get(line.message.id) });
    else say(line.message);
  }
}

let rest = '';
process.stdin.on('data', (chunk) => {
  rest += chunk;
  const parts = rest.split('\n');
  rest = parts.pop() ?? '';
  for (const part of parts) {
    appendFileSync(`${recording}.heard`, `${part}\n`);
    heard.push(JSON.parse(part));
    servers = heard.at(-1).params?.mcpServers ?? servers;
  }
  wake();
});
process.stdin.on('end', () => {
  hasEnded = true;
  if (!staysAtEnd) process.exit(0);
});
await play();
