import { z } from 'zod';
import { agentUses, installableNames } from '../../profiles/index.ts';
import { tunableRuleNames } from '../../steering/shapes/gate-rules.ts';
import { dailyLimits, limitNames, reviewLimits } from '../../steering/shapes/limits.ts';
import type { RegistrySettings } from '../../steering/shapes/settings.ts';
import { agent } from '../schema/agent-keys.ts';
import { isHost } from '../schema/hosts.ts';
import { operatorLimitKeys } from '../schema/limit-keys.ts';
import { optionalReach, reachBound } from '../schema/network-keys.ts';
import { registryList } from '../schema/registry-keys.ts';
import {
  defined,
  key,
  listOf,
  mapping,
  numberFrom,
  oneOf,
  section,
  settled,
  textLike,
  version,
  wholeNumber,
} from '../schema/schema-forms.ts';
import { type NotifyTarget, targetList } from './targets.ts';

const repositoryError = 'a repository or a glob, such as "acme/*" or "!acme/secret"';

const repositories = listOf(
  textLike(/^!?[\w.*-]{1,100}\/[\w.*-]{1,100}$/, repositoryError),
  1000,
  'repositories',
)
  .optional()
  .meta({
    description:
      'The repositories that may have runs, as names or globs (`*` does not match `/`); one with `!` in front is excluded, and if there are no others, every other repository may have them. By default every one on which the App is installed: name yours if anybody can install it.',
    examples: [['acme/*', '!acme/secret']],
  });

const agents = z
  .array(z.enum(agentUses, { error: agentUses.join(', ') }), { error: 'a list of agents' })
  .optional()
  .meta({
    description: 'The values that repositories may set as `agent.use`. By default every one.',
    examples: [['claude', 'codex']],
  });

const argumentError = 'a program and its arguments, as a list of texts';

const commands = listOf(
  z
    .array(z.string({ error: argumentError }).min(1, { error: argumentError }), { error: argumentError })
    .min(1, { error: argumentError }),
  200,
  'commands',
  'a list of commands, each a list of texts',
)
  .optional()
  .meta({
    description:
      'The commands, each with all its arguments, that repositories may set as `agent.command`. By default every one.',
    examples: [[['node', 'tools/agent.mjs']]],
  });

const installError = 'true, false or a list of agents that we know, such as [claude, codex]';

const gates = z
  .array(z.enum(tunableRuleNames, { error: `one of ${tunableRuleNames.join(', ')}` }), {
    error: 'a list of gate rules',
  })
  .optional()
  .meta({
    description:
      'The gate rules that no repository may switch off under `gates.off`. By default each may be, with a reason.',
    examples: [['touches-secrets', 'weakens-tests']],
  });

const install = z
  .union([z.boolean(), z.array(z.enum(installableNames))], { error: installError })
  .default(false)
  .meta({
    description:
      'Which agents Coxswain may install where they are missing: `true` for all that it knows, or their names. Each is installed into the data folder, from the registry that npm is configured for, in the version that this Coxswain was tried with.',
    examples: [['claude', 'codex']],
  });

const network = section(
  { setup: reachBound('setup'), agent: reachBound('agent'), verifiers: reachBound('verifiers') },
  'a mapping of setup, agent and verifiers',
).meta({
  description:
    'The most that repositories may allow their programs to reach. `open` covers every public host, the public registries and `model`, `*.example.org` every host below it; `host`, the network of the machine itself, only if it is listed here.',
  examples: [{ verifiers: ['registries', '*.example.org'] }],
});

const privateError =
  'the name of a host, with a port if it is neither 443 nor 80, such as npm.corp.example:8443';

const privateHosts = listOf(
  z.string({ error: privateError }).refine(isHost, { error: privateError }),
  100,
  'hosts',
)
  .default([])
  .meta({
    description:
      'Hosts that may have private addresses. A repository still has to name them under `network` or `registries`.',
    examples: [['npm.corp.example:8443']],
  })
  .transform((hosts) => hosts.map((host) => host.toLowerCase()));

const priceError = 'a price in US dollars per million tokens, such as 2.5';

const price = numberFrom(0, 1_000_000, priceError);

const modelError = 'the name of a model or a glob, such as gpt-5-mini or "gpt-5*"';

const perModel = mapping(
  {
    model: key(textLike(/^[\w.:/@*-]{1,200}$/, modelError), {
      description: 'The model, as a name or as a glob. Of several that match, the longest counts.',
      examples: ['gpt-5*'],
    }),
    input: key(price, { description: 'A million tokens of input.', examples: [1.25] }),
    output: key(price, { description: 'A million tokens of output.', examples: [10] }),
    cached_input: key(price.optional(), {
      description: 'A million tokens of input from the cache; by default like `input`.',
      examples: [0.125],
    }),
    cache_write: key(price.optional(), {
      description: 'A million tokens written to the cache; by default like `input`.',
      examples: [1.5],
    }),
  },
  'a mapping with `model`, `input` and `output`',
);

const prices = listOf(perModel, 500, 'prices', 'a list of prices, each with `model`, `input` and `output`')
  .default([])
  .meta({
    description:
      'Your own prices of models, in US dollars per million tokens; they go before those that Coxswain knows.',
    examples: [[{ model: 'gpt-5*', input: 1.25, output: 10 }]],
  });

const bytesIn = { m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 } as const;

const sizeError = 'a size in mebibytes, gibibytes or tebibytes, such as 512m, 4g or 1t';

const size = textLike(/^([1-9][0-9]{0,5})([mgt])$/, sizeError).transform(
  // The pattern allows no other unit.
  (text) => Number.parseInt(text, 10) * bytesIn[text.at(-1) as keyof typeof bytesIn],
);

const perAttempt = {
  memory: key(size.optional(), {
    description:
      'The memory of the programs of one attempt together. By default three quarters of the machine.',
    examples: ['4g'],
  }),
  processes: key(wholeNumber(16, 1_000_000).optional(), {
    description: 'Their processes and threads together.',
    examples: [1000],
  }),
  cpus: key(numberFrom(0.1, 1024).optional(), {
    description: 'How many processors they may keep busy. By default all.',
    examples: [2],
  }),
  disk: key(size.optional(), { description: 'What they may write.', examples: ['10g'] }),
};

const limits = key(section({ ...operatorLimitKeys, ...perAttempt }), {
  description: 'What runs may use: each of them, all of them in a day, and the programs of one attempt.',
  examples: [{ minutes: 60, cost_usd: 10, cost_usd_per_day: 100, memory: '4g' }],
});

const defaults = section({
  agent: agent.optional(),
  network: section(
    {
      setup: optionalReach('setup'),
      agent: optionalReach('agent'),
      verifiers: optionalReach('verifiers'),
    },
    'a mapping of setup, agent and verifiers',
  ).meta({ description: 'What programs may reach.', examples: [{ verifiers: ['registries'] }] }),
}).meta({
  description: 'What holds for repositories that do not write these keys.',
  examples: [{ agent: { use: 'command', command: ['node', 'tools/agent.mjs'] } }],
});

const operatorKeys = {
  version: version(),
  repositories,
  agents,
  commands,
  install,
  sandbox: key(oneOf(['required', 'preferred', 'off']).optional(), {
    description:
      'The weakest sandbox that repositories may ask for. With `COXSWAIN_SANDBOX` the stricter one counts.',
    examples: ['required'],
  }),
  network,
  gates,
  private_hosts: privateHosts,
  registries: key(registryList.prefault([]), {
    description:
      'Registries that programs may reach with the word `registries`, with the variables of their tokens.',
    examples: [[{ host: 'npm.corp.example', kind: 'npm', token_env: 'NPM_TOKEN' }]],
  }),
  prices,
  limits,
  notify: targetList,
  defaults,
};

/** The operator's file, but for the tokens, which are in the environment. */
export const operatorSchema = mapping(operatorKeys, 'a mapping of keys, beginning with `version: 1`')
  .meta({
    title: 'Coxswain operator',
    description:
      'What the operator of a Coxswain App allows its repositories, in the file that COXSWAIN_OPERATOR_FILE names.',
    examples: [{ version: 1 }],
  })
  .transform(fileFrom);

function fileFrom(read: z.output<z.ZodObject<typeof operatorKeys>>) {
  const { version: _, network, registries, limits: most, private_hosts, ...others } = settled(read);
  const { defaults: usual, install: installed, prices: ofModels, notify, ...bounds } = others;
  const { memory: memoryBytes, disk: diskBytes, processes, cpus } = most;
  return {
    bounds: {
      ...{ ...bounds, network, registries, notify: notify.map(({ name }) => name) },
      limits: picked([...limitNames, ...reviewLimits], (name) => most[name]),
    },
    /** These count for repositories that do not write the keys themselves. */
    defaults: usual,
    /** Which agents may be installed where they are missing: all or none, or these. */
    install: installed,
    /** Hosts that may have private addresses, each with a port unless 443 and 80 are meant. */
    privateHosts: private_hosts,
    registries: registries as readonly (RegistrySettings & { readonly secret?: string })[],
    /** Of several prices whose models match, the one with the longest name counts. */
    prices: ofModels,
    notify,
    /** These bound what all runs use together in a day (UTC). */
    daily: picked(dailyLimits, (name) => most[`${name}_per_day`]),
    /** These bound what the programs of one attempt use of this machine. */
    resources: settled({ memoryBytes, processes, cpus, diskBytes }),
  };
}

/** The limits that are written, by their names. */
function picked<Name extends string>(
  names: readonly Name[],
  amountOf: (name: Name) => number | undefined,
): { readonly [N in Name]?: number } {
  return defined(Object.fromEntries(names.map((name) => [name, amountOf(name)])));
}

export type WrittenOperatorFile = z.output<typeof operatorSchema>;

/** What the operator's file says, and what is in the variables that it names. */
export type OperatorFile = Omit<WrittenOperatorFile, 'notify'> & { readonly notify: readonly NotifyTarget[] };

/** Without a file, everything may be asked for but the machine's own network and tokens. */
export const noOperatorFile: OperatorFile = { ...operatorSchema.parse({ version: 1 }), notify: [] };
