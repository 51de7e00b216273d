import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeWithProcesses } from '../setup/processes.ts';
import { action, type GitHubEvent } from './workflow.ts';

/** What GitHub's runner passes to a step. */
export interface Step {
  readonly main: string;
  readonly event: GitHubEvent;
  /** What the file of the event holds, if it is not the payload. */
  readonly eventText?: string;
  /** The inputs that the workflow sets under `with`. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly token: string;
  readonly repository: string;
  readonly github: { readonly url: string; readonly apiUrl: string };
  readonly runId: number;
  /** Additional variables, and those to remove. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The Node to run it with; by default ours. */
  readonly node?: string;
}

/** How the step ended. */
export interface Outcome {
  readonly event: string;
  readonly code: number | null;
  /** The job's log. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface RunningStep {
  readonly child: ChildProcess;
  readonly outcome: Promise<Outcome>;
}

/** A step that takes longer hangs, and is ended: even on a busy machine no test needs this long. */
const longestMs = 300_000;

/** Starts `node <main>` as GitHub's runner does, with its variables and files and none of ours. */
export function startStep(step: Step): RunningStep {
  const home = mkdtempSync(join(tmpdir(), 'coxswain-runner-'));
  const files = filesIn(home, step);
  const child = spawn(step.node ?? process.execPath, [step.main], {
    cwd: files.workspace,
    env: { ...environmentOf(step, files), ...step.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part));
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const { outputs, summary } = resultsIn(files);
      // GitHub's runner also ends processes that a job left running.
      removeWithProcesses(home);
      resolve({ event: step.event.name, code, log: Buffer.concat(said).toString(), outputs, summary });
    });
  });
  return { child, outcome };
}

export function runStep(step: Step): Promise<Outcome> {
  return startStep(step).outcome;
}

interface RunnerFiles {
  readonly home: string;
  readonly temp: string;
  readonly workspace: string;
  readonly event: string;
  readonly output: string;
  readonly summary: string;
  readonly env: string;
}

function filesIn(dir: string, { event: { payload }, eventText }: Step): RunnerFiles {
  const at = (name: string) => join(dir, name);
  const files = {
    home: at('home'),
    temp: at('temp'),
    workspace: at('workspace'),
    event: at('event.json'),
    output: at('output'),
    summary: at('summary'),
    env: at('env'),
  };
  for (const folder of [files.home, files.temp, files.workspace]) mkdirSync(folder);
  for (const file of [files.output, files.summary, files.env]) writeFileSync(file, '');
  writeFileSync(files.event, eventText ?? JSON.stringify(payload));
  return files;
}

function environmentOf({ event, github, ...step }: Step, files: RunnerFiles): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: files.home,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_ENV: files.env,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: `${github.url}/api/graphql`,
    GITHUB_SERVER_URL: github.url,
    GITHUB_REPOSITORY: step.repository,
    GITHUB_RUN_ID: String(step.runId),
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_TRIGGERING_ACTOR: senderOf(event),
    RUNNER_TEMP: files.temp,
    TMPDIR: files.temp,
    ...inputsOf(step),
  };
}

/** Who caused the event is also who runs its job, unless somebody runs that again. */
function senderOf({ payload: { sender } }: GitHubEvent): string {
  return typeof sender === 'object' && sender !== null && 'login' in sender ? String(sender.login) : '';
}

/** Every input of `action.yml`, as set or by default, under the runner's name for it. */
function inputsOf({ inputs = {}, token }: Pick<Step, 'inputs' | 'token'>): Record<string, string> {
  const unknown = Object.keys(inputs).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(', ')}`);
  return Object.fromEntries(
    Object.entries(action.inputs).map(([name, { default: usual = '' }]) => [
      `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`,
      inputs[name] ?? usual.replace(/\$\{\{ github\.token \}\}/, token),
    ]),
  );
}

function resultsIn(files: RunnerFiles): Pick<Outcome, 'outputs' | 'summary'> {
  const written = readFileSync(files.output, 'utf8');
  const outputs = [...written.matchAll(/^(.+?)<<(ghadelimiter_\S+)\n([\s\S]*?)\n\2$/gm)];
  return {
    outputs: Object.fromEntries(outputs.map(([, name = '', , value = '']) => [name, value])),
    summary: readFileSync(files.summary, 'utf8'),
  };
}
