import { dump, load } from 'js-yaml';
import type { ConfiguringInputs } from '../repository/configuration.ts';

/** What the inputs say of the keys that a configuration has, too. */
export function choicesIn(input: (name: string) => string): Readonly<Record<string, unknown>> {
  return {
    ...agentFrom(input('agent')),
    ...setupFrom(input('setup')),
    ...verifiersFrom(input('verifiers')),
  };
}

/** What the inputs say of the task, under the keys with which one tightens; never a configuration. */
export function taskChoicesIn(input: (name: string) => string): Readonly<Record<string, unknown>> {
  const mode = isSet('require_approval', input) ? 'manual' : input('approval');
  const approval = { ...given('mode', mode), ...given('threshold', numberIn(input('threshold'))) };
  return {
    ...(Object.keys(approval).length > 0 && { approval }),
    ...given('max_steering_iterations', numberIn(input('max_steering_iterations'))),
    ...(isSet('critical', input) && { critical: true }),
  };
}

function given(key: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === '' ? {} : { [key]: value };
}

/** What is no number is refused with the other settings. */
function numberIn(text: string): number | string {
  const given = text.trim();
  return /^-?\d+(?:\.\d+)?$/.test(given) ? Number(given) : given;
}

/** `false` is what a form sends for a box that is not ticked. */
function isSet(name: string, input: (name: string) => string): boolean {
  const text = input(name).trim().toLowerCase();
  if (text === 'true' || text === 'false' || text === '') return text === 'true';
  throw new Error(
    `input ${name} is ${JSON.stringify(text)}: expected true or false, as in \`${name}: true\``,
  );
}

/** It is a name, or YAML as in the configuration: `{ use: command, command: [node, agent.mjs] }`. */
function agentFrom(text: string): { agent?: unknown } {
  if (text.trim() === '') return {};
  try {
    return { agent: load(text, { maxAliases: 0 }) };
  } catch (cause) {
    const expected = 'expected a name or YAML, as in `{ use: command, command: [node, agent.mjs] }`';
    throw new Error(`input agent is ${JSON.stringify(text)}: ${expected}`, { cause });
  }
}

/** It has a command a line, or is a list in YAML as in the configuration. */
function setupFrom(text: string): { setup?: unknown } {
  if (isList(text)) {
    const expected = 'expected one command per line, or a list in YAML, as in `- npm ci`';
    return { setup: listFrom('setup', text, expected) };
  }
  const lines = text.split('\n').map((line) => line.trim());
  const commands = lines.filter((line) => line !== '');
  return commands.length === 0 ? {} : { setup: commands };
}

/** No command begins with a hyphen; with a bracket one does, as `[ -f package.json ] && npm ci`. */
function isList(text: string): boolean {
  return /^(?:\s*#.*\n)*\s*-\s/.test(text) || /^\[[^\s[].*\]$/s.test(text.trim());
}

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

/**
 * Writes the inputs as a configuration, the same text for the same inputs. `workflow` is the file of the
 * job's workflow and its ref, as in `GITHUB_WORKFLOW_REF`; empty on older runners.
 */
export function configuringInputs(
  chosen: Readonly<Record<string, unknown>>,
  { eventName, workflow }: { readonly eventName: string; readonly workflow: string },
  targets: readonly { readonly name: string }[] = [],
): ConfiguringInputs {
  const isEmpty = Object.keys(chosen).length === 0;
  const notify = targets.length === 0 ? {} : { notify: targets.map(({ name }) => name) };
  return {
    text: isEmpty ? null : dump({ version: 1, ...chosen, ...notify }),
    // Older runners tell only the event.
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
