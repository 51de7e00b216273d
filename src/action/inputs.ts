import { join } from 'node:path';
import { getInput } from '@actions/core';
import { context } from '@actions/github';
import { load } from 'js-yaml';

/** What the workflow gave us: the one place where the Action reads its environment. */
export interface ActionInputs {
  readonly token: string;
  readonly prompt: string;
  /** What a task may say otherwise than the repository's configuration. */
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly base: string | null;
  readonly configPath: string;
  readonly mode: 'auto' | 'sweep';
  readonly eventName: string;
  readonly payload: unknown;
  readonly runId: number;
  readonly runAttempt: number;
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly owner: string;
  readonly repo: string;
  readonly data: string;
}

/** Throws a message that names the input, what was expected, and an example. */
export function readInputs(): ActionInputs {
  const { eventName, payload, runId, runAttempt, apiUrl, serverUrl } = context;
  const dispatched: Readonly<Record<string, unknown>> = payload['inputs'] ?? {};
  const input = (name: string) => getInput(name) || String(dispatched[name] ?? '');
  return {
    token: getInput('github-token', { required: true }),
    prompt: input('prompt'),
    overrides: { ...agentFrom(input('agent')), ...verifiersFrom(input('verifiers')) },
    base: input('base') || null,
    configPath: getInput('config') || '.github/coxswain.yml',
    mode: modeFrom(getInput('mode') || 'auto'),
    eventName,
    payload,
    runId,
    runAttempt,
    apiUrl,
    serverUrl,
    ...context.repo,
    data: join(process.env['RUNNER_TEMP'] ?? '/tmp', 'coxswain'),
  };
}

function modeFrom(mode: string): ActionInputs['mode'] {
  if (mode === 'auto' || mode === 'sweep') return mode;
  throw new Error(`input mode is ${JSON.stringify(mode)}: expected auto or sweep, as in \`mode: sweep\``);
}

/** A profile's name, or YAML as in the configuration: `{ use: command, command: [node, agent.mjs] }`. */
function agentFrom(text: string): { agent?: unknown } {
  return text.trim() === '' ? {} : { agent: load(text, { maxAliases: 0 }) };
}

/** One `name: command` a line. */
function verifiersFrom(text: string): { verifiers?: unknown } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return {};
  return { verifiers: lines.map(verifierFrom) };
}

function verifierFrom(line: string): { name: string; run: string } {
  const [, name, run] = /^([^:\s]+)\s*:\s*(\S.*)$/.exec(line) ?? [];
  if (name !== undefined && run !== undefined) return { name, run };
  throw new Error(
    `input verifiers has the line ${JSON.stringify(line)}: expected \`name: command\`, as in \`test: npm test\``,
  );
}
