import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getInput, warning } from '@actions/core';
import { readablePaths } from '../agent/readable-paths.ts';
import type { NotifyTarget } from '../config/operator/targets.ts';
import { problemText } from '../config/schema/config-problem.ts';
import { objectionToVariable } from '../config/schema/registry-keys.ts';
import { isRelevant, noRuns } from '../github/events/delivery.ts';
import type { GitHubEvent, GitHubEventOf } from '../github/events/github-event.ts';
import { readActionEvent } from '../github/events/payloads.ts';
import { type Provider, providersIn } from '../network/model/providers.ts';
import type { ConfiguringInputs } from '../repository/configuration.ts';
import { choicesIn, configuringInputs, taskChoicesIn } from './choices.ts';

/** What the workflow gave us; this is the only file where the Action reads its environment. */
export interface ActionInputs {
  readonly token: string;
  /** The settings with which a task overrides the repository's configuration, or which are that. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** The ones that are not the workflow's own, but filled in by whoever started it by hand. */
  readonly filledIn: Readonly<Record<string, unknown>>;
  /** The ones that tighten what a workflow says, also where that is the configuration. */
  readonly tightening: Readonly<Record<string, unknown>>;
  /** The workflow's own, where the repository has no configuration; all its targets are notified then. */
  readonly config: (targets: readonly NotifyTarget[]) => ConfiguringInputs;
  /** The targets that runs may notify; null if the workflow names none. Throws all their problems. */
  readonly targets: () => Promise<readonly NotifyTarget[] | null>;
  readonly base: string | null;
  /** Where the configuration is; null for the usual path. */
  readonly configPath: string | null;
  readonly mode: 'auto' | 'sweep';
  readonly eventName: string;
  /** What GitHub sent; for a manual start, with what the step says of these inputs. */
  readonly payload: unknown;
  readonly runId: number;
  readonly runAttempt: number;
  /** The login of whoever has started this job, or started it again; absent where GitHub is older. */
  readonly startedBy: string | undefined;
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
  /** Reads the token of a registry, by the name of its variable. */
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
  const byHand = (name: string) => (getInput(name) ? '' : input(name));
  const filledIn = { ...choicesIn(byHand), ...taskChoicesIn(byHand) };
  const ofTask = taskChoicesIn(input);
  const job = { eventName, workflow: process.env['GITHUB_WORKFLOW_REF'] ?? '' };
  return {
    token: readOwnToken(),
    overrides: { ...given, ...filledIn, ...ofTask },
    filledIn,
    tightening: { ...filledIn, ...ofTask },
    config: (targets) => configuringInputs(given, job, targets),
    targets: () => targetsIn(getInput('notify')),
    base: input('base') || null,
    configPath: getInput('config') || null,
    mode: modeFrom(getInput('mode') || 'auto'),
    eventName,
    payload: { ...payload, inputs: { ...dispatched, ...ofDispatch(input) } },
    runId: runIdOf(context),
    runAttempt: runAttempt || 1,
    startedBy: process.env['GITHUB_TRIGGERING_ACTOR'] || undefined,
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

/** The inputs that are a manual start's own: a task, or a command for a run. */
function ofDispatch(input: (name: string) => string): Readonly<Record<string, string>> {
  return { prompt: input('prompt'), run: input('run'), command: input('command') };
}

/** What reads them is loaded only where there are any, and not before the job has something to do. */
async function targetsIn(text: string): Promise<readonly NotifyTarget[] | null> {
  if (text.trim() === '') return null;
  const { readTargets } = await import('../config/operator/read-operator-file.ts');
  const reading = readTargets(text, process.env);
  if (reading.outcome === 'read') return reading.file.notify;
  const problems = reading.problems.map(problemText).join('; ');
  throw new Error(
    `input notify is not valid (its variables are set under \`env:\` of the step): ${problems}`,
  );
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

/** Reads the variables whose names another one lists, separated by commas. */
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

/** Splits a list at its commas. */
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

/** The payload of an event: what GitHub sends to webhooks, too. */
type Payload = Readonly<Record<string, unknown>>;

/**
 * Reads the file that GitHub's runner writes for each event; empty if there is none. Throws a message that
 * names the file.
 */
function readEventFile(path: string | undefined): Payload {
  if (!path || !existsSync(path)) return {};
  const refuse = (why: string, cause?: unknown) =>
    new Error(`could not read the event in ${path} (GITHUB_EVENT_PATH): ${why}; run the job again`, {
      cause,
    });
  const text = contentOf(path, refuse);
  if (text.trim() === '') throw refuse('it is empty');
  const payload = parsed(text, refuse);
  if (isObject(payload)) return payload;
  throw refuse('it holds no object');
}

type Refuse = (why: string, cause?: unknown) => Error;

function contentOf(path: string, refuse: Refuse): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw refuse('it cannot be opened', cause);
  }
}

/** It is as strict as the toolkit, which reads the same file: with a byte order mark it is no JSON. */
function parsed(text: string, refuse: Refuse): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw refuse('it is not JSON', cause);
  }
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a job has to do. */
export type JobWork =
  | { readonly kind: 'sweep' }
  | { readonly kind: 'events'; readonly events: readonly GitHubEvent[] }
  /** The event cannot concern a run. */
  | { readonly kind: 'nothing' };

/** Decides that from the inputs and the event alone, without any request. */
export function workFrom(inputs: ActionInputs): JobWork {
  const { mode, eventName, payload, runId: run_id, startedBy: started_by, filledIn } = inputs;
  if (mode === 'sweep' || eventName === 'schedule') return { kind: 'sweep' };
  const events = readActionEvent(eventName, payload, { run_id, started_by }).filter(concernsRun);
  const [first] = events;
  if (first === undefined) return { kind: 'nothing' };
  if (first.kind === 'dispatch') requireWork(first, filledIn);
  return { kind: 'events', events };
}

/** A check run of the Action is no gate, so it makes none for pull requests that are not runs. */
function concernsRun(incoming: GitHubEvent): boolean {
  return incoming.kind !== 'pull_changed' && isRelevant(incoming, noRuns);
}

/** Throws unless a manual start says what it is for: a task, or a command on a run. */
function requireWork(
  { inputs }: GitHubEventOf<'dispatch'>,
  filledIn: Readonly<Record<string, unknown>>,
): void {
  const has = (name: string) => (inputs[name] ?? '').trim() !== '';
  const isCommand = has('run') || has('command');
  if (!isCommand && !has('prompt'))
    throw new Error(
      'input prompt is empty: expected the task, as in `prompt: Fix the flaky test`, ' +
        "or `run` and `command`, as in `run: '#12'` and `command: /steer Use BigInt`",
    );
  if (isCommand && has('prompt'))
    throw new Error(
      'inputs prompt and command are both set: expected prompt, which starts a run, or a command for one',
    );
  const [other] = isCommand ? Object.keys(filledIn) : [];
  if (other === undefined) return;
  throw new Error(
    `input ${other} is set: expected it with prompt only, because a command changes no settings`,
  );
}
