import { describe, expect, test } from 'vitest';
import type { Step } from '../network/scripted-answers.ts';
import { drive } from './driving.ts';
import { reals } from './real.ts';

/** A server of the Model Context Protocol with one tool, which leaves a file. */
const server = `
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tool = { name: 'greet_kindly', description: 'Greets', inputSchema: { type: 'object', properties: {} } };
const results = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'docs', version: '1' } }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': () => {
    writeFileSync('greeted.txt', 'yes');
    return { content: [{ type: 'text', text: 'the greeting is ciao' }] };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const call = (name: string, more: object = {}) => ({ tool: { name, input: {}, ...more } });

/** How the model of each agent gets to call it. */
const calls: Readonly<Record<string, readonly Required<Pick<Step, 'tool'>>[]>> = {
  claude: [call('mcp__docs__greet_kindly')],
  codex: [
    call('tool_search', { input: { query: 'greet' } }),
    call('greet_kindly', { namespace: 'mcp__docs' }),
  ],
  opencode: [call('docs_greet_kindly')],
  gemini: [call('mcp_docs_greet_kindly')],
  qwen: [call('mcp__docs__greet_kindly')],
  copilot: [call('docs-greet_kindly')],
};

const tested = reals.filter(({ choice }) => calls[choice.use] !== undefined);

describe.each(tested)('$choice.use', (real) => {
  test('sees and asks for the tools of a server that the configuration names', async () => {
    const steps = calls[real.choice.use] ?? [];
    const driven = await drive(real, {
      files: { 'hello.txt': 'hello\n', 'server.mjs': server },
      choice: { mcp: [{ name: 'docs', command: ['node', 'server.mjs'] }] },
      script: [...steps, { text: 'Done.' }],
    });
    expect(await driven.done).toMatchObject({ kind: 'completed' });
    // Some ask for a title first, with no tools.
    const prompts = driven.received.filter(({ body }) => body?.tools?.length > 0);
    expect(prompts[steps.length - 1]?.text).toContain(steps.at(-1)?.tool.name);
    expect(driven.read('greeted.txt')).toBe('yes');
    expect(driven.asked).toHaveLength(1);
    expect(driven.received.at(-1)?.text).toContain('the greeting is ciao');
  });
});
