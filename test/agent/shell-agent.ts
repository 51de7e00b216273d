/**
 * A program that speaks the Agent Client Protocol: it says what a line of shell, its argument, prints, with the
 * folder of its prompt's images and servers as `$SEEN`.
 */
export const shellAgent = `import { execFileSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let servers = [];
const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: true } } }),
  'session/new': ({ mcpServers }) => {
    servers = mcpServers.map(({ name }) => name);
    return { sessionId: 's', modes: { currentModeId: 'default', availableModes: [] } };
  },
  'session/prompt': ({ sessionId, prompt }) => {
    const images = prompt.filter(({ type }) => type === 'image').map(({ mimeType }) => mimeType);
    const env = { ...process.env, SEEN: [...images, ...servers].join(' ') };
    const text = execFileSync('sh', ['-c', process.argv[2]], { env, encoding: 'utf8' });
    const content = { type: 'text', text };
    send({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } } });
    return { stopReason: 'end_turn' };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) send({ id, result: methods[method]?.(params) ?? {} });
}
process.exit(0);
`;
