import { z } from 'zod';
import type { NetworkSettings, Reach, Use } from '../../steering/shapes/settings.ts';
import { hostPattern, isHost, isModelHost, nameOf } from './hosts.ts';
import { boundReach, uses } from './operator-bounds.ts';
import { listOf, mapping } from './schema-forms.ts';

/** The words besides `none`, by what the program is for. */
const words: Readonly<Record<Use, readonly string[]>> = {
  setup: ['registries', 'open'],
  agent: ['model', 'registries', 'open'],
  verifiers: ['registries', 'open', 'host'],
};

/** These say everything, so nothing stands beside them. */
const alone: readonly string[] = ['none', 'host'];

/** What repositories may ask where the operator does not say: everything but the machine's own network. */
export const usualNetwork: NetworkSettings = {
  setup: ['registries', 'open'],
  agent: ['model', 'registries', 'open'],
  verifiers: ['registries', 'open'],
};

const maxEntries = 100;

export const network = mapping(
  {
    setup: reach('setup', 'What the setup commands may reach.', 'registries'),
    agent: reach('agent', 'What the agent and the programs it starts may reach.', 'model'),
    verifiers: reach('verifiers', 'What the verifiers may reach.', 'none'),
  },
  'a mapping of setup, agent and verifiers, or one word or list for all three',
)
  .prefault({})
  .meta({
    description:
      'What programs may reach, each a word or a list of words and hosts; one word or list instead of the mapping counts for all. `registries` are the public registries of packages and those under `registries`; `model` (the agent only) the models, through an endpoint that adds the key; `open` any public host; `none` nothing; `host` (verifiers only, and only if the operator allows it) the network of the machine itself. A host is a name such as `api.example.com` or `*.example.org:8443`, with the ports 443 and 80 unless it names one. Private addresses are never reached by `open`.',
    examples: [{ setup: ['registries', 'api.example.com'], verifiers: 'none' }],
    ...shortFor(),
    long: (written) =>
      typeof written === 'string' || Array.isArray(written)
        ? Object.fromEntries(uses.map((use) => [use, written]))
        : written,
  });

/** A word or a list. Its objections are worded here, because those of a union would be vague. */
function reach(use: Use, description: string, initial: string) {
  const examples = [[...words[use].slice(0, 1), 'api.example.com']];
  const meta = { description, examples, operator: boundReach(use) };
  return anyReach(use)
    .prefault(initial)
    .meta({ ...meta, ...jsonReach(use) })
    .transform(reachFrom);
}

export function optionalReach(use: Use) {
  const description = `For repositories that do not write ${`\`network.${use}\``}.`;
  return anyReach(use)
    .optional()
    .meta({ description, examples: [words[use].slice(0, 1)], ...jsonReach(use) })
    .transform((value) => (value === undefined ? undefined : reachFrom(value)));
}

function anyReach(use: Use) {
  return z.unknown().superRefine((value, context) => {
    if (value === undefined) return;
    for (const { path, message } of objectionsTo(value, use))
      context.addIssue({ code: 'custom', path, message });
  });
}

/** The words and hosts that repositories may ask for. */
export function reachBound(use: Use) {
  const expected = `a list of ${words[use].join(', ')} and hosts such as "*.example.org"`;
  const isKnown = (entry: string) =>
    words[use].includes(entry) || (isHost(entry) && !isModelHost(nameOf(entry)));
  return listOf(
    z.string({ error: expected }).refine(isKnown, { error: expected }),
    maxEntries,
    'words and hosts',
    expected,
  )
    .optional()
    .meta({
      description: `The words and hosts that repositories may write under ${`\`network.${use}\``}. By default every one but \`host\`.`,
      examples: [[...words[use].slice(0, 1), '*.example.org']],
    })
    .transform((entries) => entries?.map((entry) => entry.toLowerCase()) ?? usualNetwork[use]);
}

/** A word or a list that the schema has accepted. */
function reachFrom(value: unknown): Reach {
  const entries = (Array.isArray(value) ? value : [value]).map((each) => String(each).toLowerCase());
  return [...new Set(entries.filter((each) => each !== 'none'))];
}

/** Whether a configuration may have this list. */
export function isReach(use: Use, entries: Reach): boolean {
  return objectionsTo(entries, use).length === 0;
}

interface Objection {
  readonly path: (string | number)[];
  readonly message: string;
}

function objectionsTo(value: unknown, use: Use): readonly Objection[] {
  if (!Array.isArray(value)) return objectionTo(value, use, [...words[use], 'none']).map(at([]));
  if (value.length > maxEntries) return [{ path: [], message: `at most ${maxEntries} words and hosts` }];
  const several = value.length > 1 ? words[use].filter((word) => !alone.includes(word)) : undefined;
  return value.flatMap((entry, index) => {
    if (several !== undefined && alone.includes(entry))
      return [{ path: [index], message: `no other words and hosts beside ${entry}` }];
    return objectionTo(entry, use, several ?? [...words[use], 'none']).map(at([index]));
  });
}

function at(path: (string | number)[]) {
  return (message: string): Objection => ({ path, message });
}

function objectionTo(entry: unknown, use: Use, allowed: readonly string[]): readonly string[] {
  const expected = `${allowed.join(', ')}, or a host such as api.example.com or "*.example.org:8443"`;
  if (typeof entry !== 'string') return [expected];
  if (allowed.includes(entry)) return [];
  if (entry === 'model') return [`${expected}; model is for the agent only`];
  if (entry === 'host') return [`${expected}; host, the machine's own network, is for verifiers only`];
  if (!isHost(entry)) return [`${expected}; a host is a name of two or more parts, not an address`];
  return isModelHost(nameOf(entry)) ? [modelInstead(entry, use)] : [];
}

function modelInstead(host: string, use: Use): string {
  const instead = use === 'agent' ? 'the word model' : 'no host of a model';
  return `${instead}: ${nameOf(host)} can be reached only through our endpoint, which is for the agent and adds the key`;
}

/** Editors are told that it is a text or a list of them. */
function jsonReach(use: Use): Record<string, unknown> {
  const inList = patternFor(words[use]);
  return {
    type: ['string', 'array'],
    pattern: patternFor([...words[use], 'none']),
    items: { type: 'string', pattern: inList },
    maxItems: maxEntries,
  };
}

/** Editors are told that what counts for all three must suit each. */
function shortFor(): Record<string, unknown> {
  const shared = words.setup.filter((word) => uses.every((use) => words[use].includes(word)));
  return {
    type: ['object', 'string', 'array'],
    pattern: patternFor([...shared, 'none']),
    items: { type: 'string', pattern: patternFor(shared) },
  };
}

function patternFor(listed: readonly string[]): string {
  // Editors warn of these while somebody types; the others are found when the file is read.
  const bestKnown = ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'];
  const names = bestKnown.map((host) => host.replaceAll('.', '\\.')).join('|');
  const host = hostPattern.source.slice(1, -1);
  return `^(?:${listed.join('|')}|(?!(?:${names})(?::[0-9]+)?$)(?!.*\\.localhost(?::[0-9]+)?$)${host})$`;
}
