import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { QuestionSettings } from '../../steering/shapes/question.ts';
import { parking, type QuestionAnswer, type QuestionRequest } from '../port/agent-adapter.ts';
import { whenToAsk } from '../port/agent-questions.ts';
import { at, textAt } from '../port/agent-values.ts';
import { node, type SandboxContext } from '../port/sandboxed-run.ts';
import { inside } from '../sandbox/folders.ts';
import { script } from './server/main.ts?program';

/** The tool by which an agent asks people, and the socket on which its questions arrive. */
interface AskHuman {
  /** `session/new` hands it to the agent. */
  readonly server: { readonly name: string; readonly command: string; readonly args: readonly string[] };
  /** What the sandbox has to show, by its paths inside. */
  readonly shown: Readonly<Record<string, string>>;
  close(): void;
}

type Ask = (question: QuestionRequest, withdrawn: AbortSignal) => Promise<QuestionAnswer>;

/** Opens the socket, in the folder of the attempt. */
export async function openAskHuman(
  { made, sockets, sandbox }: Pick<SandboxContext, 'made' | 'sockets' | 'sandbox'>,
  { ask_level }: QuestionSettings,
  ask: Ask,
): Promise<AskHuman> {
  const own = {
    node: process.execPath,
    script: join(made, 'ask-human.cjs'),
    socket: join(sockets, 'human.sock'),
  };
  await writeFile(own.script, script);
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection.once('close', () => connections.delete(connection)));
    answer(connection, ask);
  });
  server.maxConnections = maxQuestions;
  const isSandboxed = sandbox.kind !== 'none';
  // The path of a socket has at most 108 bytes, so the folder is named by its descriptor where it can be.
  const folder = isSandboxed ? await open(sockets, 'r') : null;
  const path = folder === null ? own.socket : `/proc/self/fd/${folder.fd}/human.sock`;
  server.listen({ path, readableAll: true, writableAll: true });
  await once(server, 'listening');
  const seen = isSandboxed
    ? { node, script: `${inside.root}/ask-human.cjs`, socket: `${inside.root}/human.sock` }
    : own;
  const args = [seen.script, seen.socket, description(ask_level)];
  return {
    server: { name: ourServer, command: seen.node, args },
    shown: isSandboxed ? { [seen.node]: own.node, [seen.script]: own.script, [seen.socket]: own.socket } : {},
    close: () => {
      server.close(() => void folder?.close());
      for (const connection of connections) connection.destroy();
    },
  };
}

/** More than an agent can have open. */
const maxQuestions = 20;

/** More than any question may have. */
const maxBytes = 64 * 1024;

const questionSchema = z.object({
  question: z.string(),
  context: z.exactOptional(z.string()),
  options: z.exactOptional(z.array(z.string())),
  multiple: z.exactOptional(z.boolean()),
  default: z.exactOptional(z.string()),
  on_timeout: z.exactOptional(z.string()),
});

/** That the agent has gone says nothing about its question; only what it takes back is withdrawn. */
function answer(connection: Socket, ask: Ask): void {
  const withdrawn = new AbortController();
  let isAsked = false;
  let bytes = 0;
  const reply = (text: string): void => void connection.end(`${JSON.stringify(text)}\n`);
  connection.on('error', () => undefined); // 'close' follows
  connection.on('close', () => withdrawn.abort(parking));
  connection.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) return;
    connection.pause();
    reply('That is far too long to be asked: a question has at most 1,200 characters. Ask in fewer words.');
  });
  createInterface({ input: connection }).on('line', async (line) => {
    if (line === 'cancel') withdrawn.abort();
    if (isAsked || bytes > maxBytes) return;
    isAsked = true;
    const question = questionSchema.safeParse(parsed(line));
    if (question.success) reply(textOf(await ask(question.data, withdrawn.signal)));
    else reply(`That could not be read as a question: ${z.prettifyError(question.error)}`);
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textOf(answered: QuestionAnswer): string {
  switch (answered.kind) {
    case 'answered':
      return answered.text;
    case 'refused':
      return `Nobody was asked: ${answered.reason}.`;
    case 'parked':
      return 'Nobody has answered yet. End your turn now: you will be asked to go on with the answer.';
  }
}

/** How it is called in `session/new`, which nothing else may be. */
const ourServer = 'coxswain';

/** Whether an agent could take the server for ours: some make its name a part of a tool's. */
export function hasOurName({ name }: { readonly name: string }): boolean {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '') === ourServer;
}

/** Whether a tool call is one of our own tool, by what each agent calls it. It can do nothing but ask. */
export function isOurTool(toolCall: unknown): boolean {
  const kind = textAt(toolCall, 'kind') ?? 'other';
  const hasCommand = ['command', 'cmd'].some((key) => at(toolCall, ['rawInput', key]) !== undefined);
  const name =
    textAt(toolCall, '_meta', 'claudeCode', 'toolName') ??
    textAt(toolCall, '_meta', 'toolName') ??
    textAt(toolCall, 'title') ??
    '';
  return !hasCommand && !['edit', 'delete', 'move', 'switch_mode'].includes(kind) && ourTool.test(name);
}

const ourTool =
  /^(?:mcp(?:_{1,2}|\.))?coxswain(?:_{1,2}|[/.:-] ?)ask_human$|^ask_human \(coxswain MCP Server\)$/;

function description(level: number): string {
  return [
    `Asks the people who steer this task, and waits a short while for their answer. ${whenToAsk(level)}`,
    'Say what you need to know in the question itself: they do not see what you see.',
    'Offer options where you can, and name the one that you would choose as the default.',
    'Answers are recorded: ask for no secrets.',
    'If nobody has answered yet, you are told to end your turn, and asked to go on with the answer later.',
  ].join(' ');
}
