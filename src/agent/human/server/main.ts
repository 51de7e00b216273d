import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/**
 * The server of tools that an agent gets from us, a program in its sandbox: `main <socket> <description>`.
 * It knows nothing, and passes on what its agent asks.
 */
const [socket = '', description = ''] = process.argv.slice(2);

/** Often enough for agents that end a call of which they hear nothing. */
const progressEveryMs = 5_000;

const inputSchema = z.object({
  question: z.string().describe('At most 1,200 characters'),
  context: z.string().optional().describe('What helps to answer it, at most 400 characters'),
  options: z.array(z.string()).optional().describe('At most 25, of at most 200 characters each'),
  multiple: z.boolean().optional().describe('Whether several options may be chosen'),
  default: z.string().optional().describe('What you would choose; one of the options if there are any'),
  on_timeout: z.enum(['default', 'block', 'fail']).optional().describe('Only stricter than is configured'),
});

serveStdio(() => {
  const server = new McpServer({ name: 'coxswain', version: '1' }, { instructions: description });
  server.registerTool(
    'ask_human',
    {
      ...{ title: 'Ask a human', description, inputSchema },
      annotations: { readOnlyHint: true },
      // Claude would show its name alone.
      _meta: { 'anthropic/alwaysLoad': true },
    },
    async (question, { mcpReq }) => {
      const token = mcpReq._meta?.progressToken;
      let progress = 0;
      const tell = (): void => {
        progress += 1;
        const params = { progressToken: token ?? 0, progress, message: 'waiting for people' };
        mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined); // nobody listens
      };
      const telling = token === undefined ? undefined : setInterval(tell, progressEveryMs);
      try {
        return { content: [{ type: 'text', text: await answerTo(question, mcpReq.signal) }] };
      } finally {
        clearInterval(telling);
      }
    },
  );
  return server;
});

/** One connection for each question; what the agent no longer wants is said in a second line. */
async function answerTo(question: object, cancelled: AbortSignal): Promise<string> {
  const connection = connect(socket);
  cancelled.addEventListener('abort', () => connection.write('cancel\n'), { once: true });
  connection.write(`${JSON.stringify(question)}\n`);
  for await (const line of createInterface({ input: connection })) {
    connection.destroy();
    return String(JSON.parse(line));
  }
  throw new Error('nobody can be asked anymore: go on with an assumption and state it in your report');
}
