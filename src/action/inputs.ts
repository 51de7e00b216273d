import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getInput, warning } from '@actions/core';
import { dump, load } from 'js-yaml';
import { readablePaths } from '../agent/index.ts';
import { objectionToVariable } from '../config/agent-variables.ts';
import { type Provider, providersIn } from '../network/model/providers.ts';
import type { ConfiguringInputs } from '../runs/configuration.ts';
import { readEventFile } from './event-file.ts';

/** What the workflow gave us; this is the only file where the Action reads its environment. */
export interface ActionInputs {
  readonly token: string;
  /** The settings with which a task overrides the repository's configuration, or which are that. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** Those of them that are not the workflow's own, but filled in by whoever started it by hand. */
  readonly filledIn: Readonly<Record<string, unknown>>;
  /** The workflow's own, where the repository has no configuration. */
  readonly config: ConfiguringInputs;
  readonly base: string | null;
  /** Null: the usual path. */
  readonly configPath: string | null;
  readonly mode: 'auto' | 'sweep';
  readonly eventName: string;
  /** As GitHub sent it; for a manual start, with the step's `prompt` if it has one. */
  readonly payload: unknown;
  readonly runId: number;
  readonly runAttempt: number;
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly serverUrl: string;
  /** Called only if the event does not name its repository. Throws if nothing does. */
  readonly repository: () => { readonly owner: string; readonly repo: string };
  readonly data: string;
  /** Whether this is a Linux machine of GitHub's, which is thrown away after the job. */
  readonly hostedLinux: boolean;
  /** The variables agents get from the job's environment, none with a secret. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
  /** Who runs models for agents, with the keys of the job's environment. */
  readonly providers: readonly Provider[];
  /** The token of a registry, by the name of its variable. */
  readonly registryToken: (variable: string) => string | undefined;
  /** What programs may read of this machine besides the system and its toolchains. */
  readonly readable: readonly string[];
}

/** Throws a message that names the input, what was expected, and an example. */
export async function readInputs(): Promise<ActionInputs> {
  requireSupported();
  const payload = readEventFile(process.env['GITHUB_EVENT_PATH']);
  // The toolkit reads the file of the event as it is imported, and what it cannot read ends the process.
  const { context } = await import('./toolkit-context.ts');
  const { eventName, runAttempt, apiUrl, graphqlUrl, serverUrl } = context;
  const dispatched: Readonly<Record<string, unknown>> = { ...Object(payload['inputs']) };
  const input = (name: string) => getInput(name) || String(dispatched[name] ?? '');
  const given = choicesIn(getInput);
  const filledIn = choicesIn((name) => (getInput(name) ? '' : input(name)));
  return {
    token: readOwnToken(),
    overrides: { ...given, ...filledIn },
    filledIn,
    config: configFrom(given, eventName),
    base: input('base') || null,
    configPath: getInput('config') || null,
    mode: modeFrom(getInput('mode') || 'auto'),
    eventName,
    payload: { ...payload, inputs: { ...dispatched, prompt: input('prompt') } },
    runId: runIdOf(context),
    runAttempt: runAttempt || 1,
    apiUrl,
    graphqlUrl,
    serverUrl,
    repository: () => context.repo,
    data: join(process.env['RUNNER_TEMP'] ?? tmpdir(), 'coxswain'),
    hostedLinux:
      process.env['RUNNER_ENVIRONMENT'] === 'github-hosted' && process.env['RUNNER_OS'] === 'Linux',
    agentEnvironment: variablesNamedIn('COXSWAIN_AGENT_ENV'),
    providers: providersIn(process.env, {
      url: process.env['COXSWAIN_MODEL_URL'],
      hosts: process.env['COXSWAIN_MODEL_HOSTS'],
    }),
    registryToken: (variable) => process.env[variable] || undefined,
    readable: readable(process.env['COXSWAIN_SANDBOX_READABLE'] ?? ''),
  };
}

/** `action.yml` sets the input to the workflow's token; outside of Actions it is in the environment. */
export function readToken(): string {
  const token = getInput('github-token') || process.env['GITHUB_TOKEN'] || '';
  if (token !== '') return token;
  throw new Error('input github-token is empty: expected a token, such as github.token of the workflow');
}

/** Only what may write check runs can show a run. */
function readOwnToken(): string {
  const token = readToken();
  if (!/^(ghp_|github_pat_|gho_)/.test(token)) return token;
  throw new Error(
    'input github-token is the token of a person, and GitHub lets only Apps write check runs: ' +
      'expected the token of the workflow (github.token) or of an App',
  );
}

function requireSupported(): void {
  if (process.env['RUNNER_OS'] !== 'Windows') return;
  throw new Error(
    'Coxswain does not run on Windows, where the processes of an agent cannot be ended together: ' +
      'expected a runner with Linux or macOS, as in `runs-on: ubuntu-latest`',
  );
}

/** The variables whose names another one lists, separated by commas. */
function variablesNamedIn(list: string): Readonly<Record<string, string>> {
  const pairs = listed(process.env[list]).map((name) => [name, process.env[name] ?? ''] as const);
  const missing = pairs.find(([, value]) => value === '');
  for (const [name, value] of pairs) {
    const expected = objectionToVariable(name, value);
    if (expected !== undefined) throw new Error(`${list} names ${name}: expected ${expected}`);
  }
  if (missing === undefined) return Object.fromEntries(pairs);
  throw new Error(`${list} names ${missing[0]}, which is not set: set it under \`env:\` of the step`);
}

/** What the runner keeps for us and for other steps is not for agents: tokens, the event. */
function readable(text: string): readonly string[] {
  const { RUNNER_TEMP, GITHUB_EVENT_PATH, GITHUB_ENV } = process.env;
  const ours = [RUNNER_TEMP, GITHUB_EVENT_PATH, GITHUB_ENV].flatMap((path) => path || []);
  return readablePaths(text, [...ours, join(RUNNER_TEMP || tmpdir(), 'coxswain')]);
}

/** Separated by commas. */
function listed(text = ''): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** A manual start is identified by its job, so that re-running the job does not start another run. */
function runIdOf({ eventName, runId }: { readonly eventName: string; readonly runId: number }): number {
  if (Number.isSafeInteger(runId)) return runId;
  if (eventName === 'workflow_dispatch') {
    warning('GITHUB_RUN_ID is not a number, so re-running this job would start another run');
  }
  return Date.now();
}

function modeFrom(mode: string): ActionInputs['mode'] {
  if (mode === 'auto' || mode === 'sweep') return mode;
  throw new Error(`input mode is ${JSON.stringify(mode)}: expected auto or sweep, as in \`mode: sweep\``);
}

/** What the inputs say of the keys that a configuration has, too. */
function choicesIn(input: (name: string) => string): ActionInputs['overrides'] {
  return {
    ...agentFrom(input('agent')),
    ...setupFrom(input('setup')),
    ...verifiersFrom(input('verifiers')),
  };
}

/** A name, or YAML as in the configuration: `{ use: command, command: [node, agent.mjs] }`. */
function agentFrom(text: string): { agent?: unknown } {
  if (text.trim() === '') return {};
  try {
    return { agent: load(text, { maxAliases: 0 }) };
  } catch (cause) {
    const expected = 'expected a name or YAML, as in `{ use: command, command: [node, agent.mjs] }`';
    throw new Error(`input agent is ${JSON.stringify(text)}: ${expected}`, { cause });
  }
}

/** A command a line, or a list in YAML as in the configuration. */
function setupFrom(text: string): { setup?: unknown } {
  if (/^\s*[-[]/.test(text))
    return { setup: listFrom('setup', text, 'expected `npm ci`, or YAML, as in `[npm ci]`') };
  const lines = text.split('\n').map((line) => line.trim());
  const commands = lines.filter((line) => line !== '');
  return commands.length === 0 ? {} : { setup: commands };
}

/** The inputs as a configuration, the same text for the same inputs. */
function configFrom(chosen: ActionInputs['overrides'], eventName: string): ConfiguringInputs {
  const isEmpty = Object.keys(chosen).length === 0;
  const workflow = process.env['GITHUB_WORKFLOW_REF'] ?? '';
  return {
    text: isEmpty ? null : dump({ version: 1, ...chosen }),
    // Of older runners only the event is known.
    isFrom: (branch) =>
      workflow === '' ? fromDefaultBranch.includes(eventName) : refOf(workflow) === `refs/heads/${branch}`,
  };
}

/** `<owner>/<repository>/<path>@<ref>`, where a branch may be called `x@refs/heads/main`. */
function refOf(workflow: string): string | undefined {
  return /^[^@]*\.ya?ml@(.*)$/s.exec(workflow)?.[1];
}

/** Their jobs run the workflow of the default branch, and not of one that somebody pushed or chose. */
const fromDefaultBranch = ['issues', 'issue_comment', 'schedule', 'check_run', 'repository_dispatch'];

/**
 * `name: command`, one per line or, as GitHub's form has only one line, separated by `;`; or a list in YAML as
 * in the configuration.
 */
function verifiersFrom(text: string): { verifiers?: unknown } {
  if (/^\s*[-[]/.test(text)) return { verifiers: listFrom('verifiers', text, expectedVerifier) };
  const entries = text
    .split(/\n|;(?=\s*[\w.-]+\s*:\s)/)
    .map((entry) => entry.trim().replace(/;$/, ''))
    .filter((entry) => entry !== '');
  if (entries.length === 0) return {};
  return { verifiers: entries.map(verifierFrom) };
}

const expectedVerifier =
  'expected `name: command`, as in `test: npm test; lint: npm run lint`, or YAML, as in ' +
  '`[{ name: test, run: npm test }]`';

/** The blank after the colon tells a name from a part of a command, such as an address. */
function verifierFrom(entry: string): { name: string; run: string } {
  const [, name, run] = /^([^:\s]+)\s*:\s+(\S.*)$/.exec(entry) ?? [];
  const isOne = run !== undefined && !/;\s*[\w.-]+\s*:/.test(run);
  if (name !== undefined && isOne) return { name, run };
  throw new Error(`input verifiers has ${JSON.stringify(entry)}: ${expectedVerifier}`);
}

/** Its entries are checked with the configuration. */
function listFrom(name: string, text: string, expected: string): unknown {
  try {
    return load(text, { maxAliases: 0 });
  } catch (cause) {
    throw new Error(`input ${name} is ${JSON.stringify(text)}: ${expected}`, { cause });
  }
}
