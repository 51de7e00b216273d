import { resolve } from 'node:path';
import { ReadablePathError, readablePaths, userNamed } from '../../agent/index.ts';
import { objectionToVariable } from '../../config/schema/registry-keys.ts';
import { ModelSettingsError, type Provider, providersIn } from '../../network/model/providers.ts';
import type { SandboxMode } from '../../steering/shapes/settings.ts';
import type { AppSettings } from './app-settings.ts';
import { EnvironmentError, expected, textOf } from './values.ts';
import type { Variables } from './variables.ts';

/** The variables that agents get, by the names in `COXSWAIN_AGENT_ENV`, separated by commas. */
export function agentEnvironment(variables: Variables): Readonly<Record<string, string>> {
  const list = 'COXSWAIN_AGENT_ENV';
  const names = (variables[list] ?? '').split(',').map((name) => name.trim());
  const pairs = names.filter((name) => name !== '').map((name) => [name, variables[name]] as const);
  const problems = pairs.flatMap(([name, value]) => {
    if (value === undefined) return [`${list} names ${name}, which is not set`];
    const wanted = objectionToVariable(name, value);
    return wanted === undefined ? [] : [`${list} names ${name}: expected ${wanted}`];
  });
  if (problems.length > 0) throw new EnvironmentError(problems);
  return Object.fromEntries(pairs.map(([name, value]) => [name, value ?? '']));
}

/** The providers of models whose keys are set, and those that the operator adds. */
export function providers(variables: Variables): readonly Provider[] {
  const { COXSWAIN_MODEL_URL: url, COXSWAIN_MODEL_HOSTS: hosts } = variables;
  const found = providersOrProblems(variables, { url, hosts });
  if ((url ?? '').trim() === '' || found.some(({ added }) => !added)) return found;
  throw new EnvironmentError(
    'COXSWAIN_MODEL_URL is set, but no key for it: expected one such as ANTHROPIC_API_KEY or OPENAI_API_KEY, ' +
      'which also says whose models the gateway runs; any text will do if it wants no key',
  );
}

function providersOrProblems(...given: Parameters<typeof providersIn>): readonly Provider[] {
  try {
    return providersIn(...given);
  } catch (fault) {
    if (fault instanceof ModelSettingsError) throw new EnvironmentError(fault.message.split('\n'));
    throw fault;
  }
}

/** What programs may read besides the system, and nothing that is ours. */
export function readable(variables: Variables): readonly string[] {
  const { COXSWAIN_SANDBOX_READABLE: text = '', COXSWAIN_DATA, COXSWAIN_OPERATOR_FILE } = variables;
  const key = textOf(variables, 'PRIVATE_KEY_PATH') ?? 'coxswain.private-key.pem';
  const ours = [COXSWAIN_DATA || '.coxswain', '.env', key, COXSWAIN_OPERATOR_FILE ?? ''];
  try {
    return readablePaths(
      text,
      ours.filter((path) => path !== '').map((path) => resolve(path)),
    );
  } catch (fault) {
    if (fault instanceof ReadablePathError) throw new EnvironmentError(fault.message);
    throw fault;
  }
}

/** Whom programs run as if the App is root. */
export function sandboxUser(value: string): AppSettings['sandboxUser'] {
  try {
    return userNamed(value);
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault);
    throw new EnvironmentError(
      `COXSWAIN_SANDBOX_USER is ${JSON.stringify(value)}: ${why}; expected a user such as coxswain-agent`,
    );
  }
}

/** The weakest sandbox that the App is content with. */
export function sandboxMode(value: string): SandboxMode {
  if (value === 'required' || value === 'preferred' || value === 'off') return value;
  throw expected('COXSWAIN_SANDBOX', value, 'required, preferred or off');
}
