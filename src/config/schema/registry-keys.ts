import { z } from 'zod';
import { modelKeys } from '../../profiles/profile.ts';
import { redact } from '../../text/redact.ts';
import { isHost, isModelHost, nameOf, registryName } from './hosts.ts';
import { boundRegistry } from './operator-bounds.ts';
import { ifAny, key, listOf, mapping, textLike, unique } from './schema-forms.ts';

/** The kinds of registries whose tools we can point at a registry with a token. */
const registryKinds = ['npm', 'pypi', 'go', 'cargo', 'maven'] as const;

const hostError = 'the name of a host, with a port if it is not 443, such as npm.example.com:8443';

const registryHost = z
  .string({ error: hostError })
  .refine((host) => isHost(host) && !host.startsWith('*'), { error: hostError })
  .refine((host) => !isModelHost(nameOf(host)), { error: `${hostError}; it has models, no packages` })
  .meta({ description: 'The host, with its port if that is not 443.', examples: ['npm.example.com'] })
  .transform(registryName);

const registryKind = key(z.enum(registryKinds, { error: registryKinds.join(', ') }), {
  description:
    'Whose packages it has; with a token the tool is set up to use it. Without one it can be reached, and the project has to name it itself. Required with `token_env`.',
  examples: ['npm'],
});

/** Our own settings, and what GitHub's runners give to actions: none is a secret for somebody else. */
const ours = new RegExp(
  `^(?:${[
    ...['COXSWAIN_', 'INPUT_', 'ACTIONS_', 'RUNNER_', 'GITHUB_(?!TOKEN$)', 'GHE_', 'PRIVATE_KEY', 'WEBHOOK_'],
    ...['PATH$', 'HOME$', 'HOST$', 'PORT$', 'LOG_LEVEL$', 'APP_ID$'],
  ].join('|')})`,
);

/** Whether a variable is one that Coxswain itself reads. */
function isOurs(variable: string): boolean {
  return ours.test(variable);
}

/** The name of a variable with nothing but this, such as `example`. */
export function variableOf(what: string, example: string) {
  const alone = `a variable for this ${what} alone, such as ${example}`;
  return textLike(/^[A-Z][A-Z0-9_]{0,99}$/, `the name of a variable, in capitals, such as ${example}`)
    .refine((name) => !isOurs(name), { error: `${alone}: Coxswain and its host use that one themselves` })
    .refine((name) => !modelKeys.includes(name), { error: `${alone}: that one holds the key of a model` })
    .meta({ examples: [example] });
}

const tokenVariable = key(variableOf('token', 'NPM_TOKEN'), {
  description:
    'The variable with the token, which Coxswain puts into requests itself: no program sees it. In the Action it is in the environment of the step; the operator of an App has to list it with the same host.',
  examples: ['NPM_TOKEN'],
});

const scopeForms = { npm: /^@[a-z0-9-][a-z0-9._-]*$/, go: /^[\w.~*-]+(?:\/[\w.~*-]+)*$/ };

const scopesError = 'of npm its scopes, such as @corp; of Go the modules, such as corp.example/*';

const registryScopes = z
  .array(z.string({ error: scopesError }).max(200, { error: scopesError }), { error: scopesError })
  .min(1, { error: scopesError })
  .max(50, { error: 'at most 50 scopes' })
  .meta({
    description:
      'With a token and `kind: npm` the scopes that it has: it is then asked for their packages only, and by default for all. With a token and `kind: go` the modules that the public database of checksums is not asked about, by default all.',
    examples: [['@corp']],
  });

function fitsKind(scopes: readonly string[], kind: (typeof registryKinds)[number] | undefined): boolean {
  return (kind === 'npm' || kind === 'go') && scopes.every((scope) => scopeForms[kind].test(scope));
}

const registry = mapping(
  {
    ...{ host: registryHost, kind: registryKind.optional(), scopes: registryScopes.optional() },
    token_env: tokenVariable.optional(),
  },
  'a mapping with `host`',
)
  .refine(({ kind, scopes }) => scopes === undefined || fitsKind(scopes, kind), {
    path: ['scopes'],
    error: scopesError,
  })
  .refine(({ kind, token_env }) => token_env === undefined || kind !== undefined, {
    path: ['kind'],
    error: `${registryKinds.join(', ')}: with a token, the tool has to be set up for the registry`,
  })
  .meta({ operator: boundRegistry });

/** It has no default, so that the operator's file can have the same key. */
export const registryList = listOf(
  registry,
  50,
  'registries',
  'a list of registries, each with `host`',
).superRefine(
  unique(
    'host',
    ({ host }) => host,
    (first) => `a host of its own: registries[${first}] has the same one`,
  ),
);

export const registries = key(registryList.prefault([]), {
  description: 'Registries of packages besides the public ones, which the word `registries` then includes.',
  examples: [[{ host: 'npm.example.com', kind: 'npm', token_env: 'NPM_TOKEN' }]],
}).transform(ifAny);

/** Says why a variable may not be passed to agents, as what was expected instead; undefined if it may. */
export function objectionToVariable(name: string, value: string): string | undefined {
  if (isOurs(name)) return 'a variable for agents alone: Coxswain and its host use this one themselves';
  // That of a gateway may look like anything.
  if (modelKeys.includes(name))
    return 'no key of a model: Coxswain puts it into requests itself, and agents need none';
  if (redact(value) === value) return undefined;
  return 'no value in the format of a secret, which an agent, and whatever it runs, could send anywhere';
}
