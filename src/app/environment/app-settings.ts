import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MachineSettings } from '../../agent/index.ts';
import { noOperatorFile, type OperatorFile } from '../../config/operator/operator-schema.ts';
import { readOperatorFile } from '../../config/operator/read-operator-file.ts';
import { secretsOfTargets } from '../../config/operator/targets.ts';
import type { Operator } from '../../config/read.ts';
import { problemLines } from '../../config/schema/config-problem.ts';
import { stricter } from '../../config/schema/operator-bounds.ts';
import { secondsOf } from '../../config/schema/schema-forms.ts';
import { githubLimits, unlimited, type WriteLimits } from '../../github/octokit/rate-limiter.ts';
import { keysOf, type Provider } from '../../network/model/providers.ts';
import { parseSealKeys, secretsOf } from '../../seal/seal-keys.ts';
import { longestHoldS } from '../../steering/shapes/question.ts';
import type { SandboxMode } from '../../steering/shapes/settings.ts';
import { secretsIn } from '../../text/redact.ts';
import { EnvironmentError, expected, positiveNumber } from './values.ts';
import type { Variables } from './variables.ts';

/** The settings of the App, in our own server or in any other host. */
export interface AppSettings {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** The keys that prove what the App wrote to a repository, as `coxswain key` prints them. */
  readonly ledgerKey: string;
  /** The REST API: `https://api.github.com`, or `…/api/v3` of an Enterprise Server. */
  readonly apiUrl: string;
  /** The folder for mirrors and worktrees; may be deleted while the App is down. */
  readonly data: string;
  /** Concurrent attempts. */
  readonly concurrency: number;
  readonly sandbox: SandboxMode;
  /** The variables agents get from our own environment, none with a secret. */
  readonly agentEnvironment: Readonly<Record<string, string>>;
  /** The operator's other secrets; they are redacted from everything that is written. */
  readonly secrets: readonly string[];
  /** What programs may read of this machine besides the system and its toolchains. */
  readonly readable: readonly string[];
  /** Whom programs run as if the App is root; null: for each attempt a user that nobody else is. */
  readonly sandboxUser: { readonly uid: number; readonly gid: number } | null;
  /** Who runs models for agents, with the keys. */
  readonly providers: readonly Provider[];
  /** What the operator's file allows, knows and costs. */
  readonly operatorFile: OperatorFile;
  /**
   * Where people open the page, such as `https://coxswain.example.org`; null: check runs do not lead there.
   */
  readonly pageUrl: string | null;
  /** The interval between sweeps, in milliseconds. */
  readonly sweepEveryMs: number;
  /** How long a phase with work in progress must last to be rendered, in milliseconds. */
  readonly renderAfterMs: number;
  /** How long an agent is held until somebody answers its question, in milliseconds. */
  readonly holdQuestionsMs: number;
  /** How fast each installation may write. */
  readonly writeLimits: WriteLimits;
}

/** The settings a host must provide; all others have a default. */
export type GivenSettings = Pick<AppSettings, 'appId' | 'privateKey' | 'ledgerKey'> & Partial<AppSettings>;

/**
 * The settings with every default filled in. The operator's file may ask for a stricter sandbox than the
 * setting, never for less.
 */
export function withDefaults(given: GivenSettings): AppSettings {
  const settings = {
    apiUrl: 'https://api.github.com',
    data: resolve('.coxswain'),
    concurrency: 4,
    sandbox: 'required' as SandboxMode,
    agentEnvironment: {},
    secrets: [],
    readable: [],
    sandboxUser: null,
    providers: [],
    operatorFile: noOperatorFile,
    pageUrl: null,
    sweepEveryMs: 5 * 60_000,
    renderAfterMs: 3000,
    holdQuestionsMs: longestHoldS * 1000,
    writeLimits: githubLimits,
    ...given,
  };
  return { ...settings, sandbox: stricter(settings.sandbox, settings.operatorFile.bounds.sandbox) };
}

/**
 * How long stopping may take, in milliseconds: more than enough while GitHub answers. What was not recorded
 * by then is found or sent again.
 */
export const stopMs = 20_000;

/** What is logged if it takes longer. */
export const stoppedEarly = `stopped without waiting longer than ${stopMs / 1000} s for GitHub; the next start catches up`;

/** What the operator says about this machine, for its sandbox. */
export function machineSettings({ readable, sandboxUser, operatorFile }: AppSettings): MachineSettings {
  return { readable, limits: operatorFile.resources, ...(sandboxUser !== null && { user: sandboxUser }) };
}

/** What must be neither written nor posted. */
export function allSecretsOf(settings: AppSettings): readonly string[] {
  const { privateKey, secrets, ledgerKey, agentEnvironment, operatorFile, providers } = settings;
  const tokens = operatorFile.registries.flatMap(({ secret }) => secret ?? []);
  const keys = [privateKey, ...secretsOf(parseSealKeys(ledgerKey)), ...keysOf(providers)];
  const ofTargets = secretsOfTargets(operatorFile.notify);
  return [...keys, ...secrets, ...tokens, ...ofTargets, ...secretsIn(agentEnvironment)];
}

/** How many attempts at the same time. */
export function concurrency(value: string): number {
  return positiveNumber('COXSWAIN_CONCURRENCY', value, 4);
}

/** The time between sweeps, in milliseconds. */
export function sweepEveryMs(value: string): number {
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds <= longestSweepS) return seconds * 1000;
  throw expected('COXSWAIN_SWEEP_EVERY', value, 'a duration of at most 24h, such as 5m');
}

/** GitHub keeps deliveries for three days; a later sweep would no longer find them. */
const longestSweepS = 24 * 60 * 60;

/** How long a phase must last to be rendered, in milliseconds. */
export function renderAfterMs(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds <= maxRenderAfterS) return seconds * 1000;
  throw expected('COXSWAIN_RENDER_AFTER', value, '0 or a duration of at most 1m, such as 3s');
}

/** People who see no sign of work for longer than this assume that nothing happens. */
const maxRenderAfterS = 60;

/** How long an agent is held until somebody answers its question, in milliseconds. */
export function holdQuestionsMs(value: string): number {
  const seconds = value === '0' ? 0 : secondsOf(value);
  if (seconds !== undefined && seconds <= longestHoldS) return seconds * 1000;
  throw expected(
    'COXSWAIN_HOLD_QUESTIONS',
    value,
    `0 or a duration of at most ${longestHoldS}s, such as 10s`,
  );
}

/** How fast we may write. */
export function writeLimits(value: string): WriteLimits {
  if (value === 'github') return githubLimits;
  if (value === 'off') return unlimited;
  throw expected('COXSWAIN_WRITE_LIMITS', value, 'github or off');
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The level of the log; `name` is what asks for it. */
export function logLevel(value: string, name = 'LOG_LEVEL'): string {
  if (levels.includes(value)) return value;
  throw expected(name, value, `${levels.slice(0, -1).join(', ')} or ${levels.at(-1)}, as in ${name}=debug`);
}

/**
 * The operator's file that the environment names, if any. Throws `EnvironmentError` with all its problems.
 */
export function operatorFileIn(variables: Variables): OperatorFile {
  const path = variables['COXSWAIN_OPERATOR_FILE'] ?? '';
  if (path === '') return noOperatorFile;
  const reading = readOperatorFile(textOf(path), variables);
  if (reading.outcome === 'read') return reading.file;
  const listed = reading.problems.map(problemLines);
  const count = listed.length === 1 ? 'a problem' : `${listed.length} problems`;
  throw new EnvironmentError(`COXSWAIN_OPERATOR_FILE is ${path}, which has ${count}:\n${listed.join('\n')}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new EnvironmentError(`COXSWAIN_OPERATOR_FILE is ${path}, which could not be read`, { cause });
  }
}

/**
 * What the operator allows, for reading the configurations of repositories: of the sandbox, what this App
 * itself is content with.
 */
export function operatorOf({ operatorFile, sandbox }: AppSettings): Operator {
  const { bounds, defaults } = operatorFile;
  return { bounds: { ...bounds, sandbox }, defaults };
}
