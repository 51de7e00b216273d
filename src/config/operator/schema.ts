import { z } from 'zod';
import { agentUses, installableNames } from '../../profiles/index.ts';
import { tunableRuleNames } from '../../steering/gate-rules.ts';
import { isHost } from '../hosts.ts';
import { jsonSchemaOf } from '../json-schema.ts';
import { agent } from '../schema/agent.ts';
import { listOf, mapping, numberFrom, oneOf, textLike } from '../schema/forms.ts';
import { optionalReach, reachBound } from '../schema/network.ts';
import { registryList } from '../schema/registries.ts';
import { operatorLimits } from './limits.ts';

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

const network = mapping(
  { setup: reachBound('setup'), agent: reachBound('agent'), verifiers: reachBound('verifiers') },
  'a mapping of setup, agent and verifiers',
)
  .prefault({})
  .meta({
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
  });

const priceError = 'a price in US dollars per million tokens, such as 2.5';

const price = numberFrom(0, 1_000_000, priceError);

const modelError = 'the name of a model or a glob, such as gpt-5-mini or "gpt-5*"';

const perModel = mapping(
  {
    model: textLike(/^[\w.:/@*-]{1,200}$/, modelError).meta({
      description: 'The model, as a name or as a glob. Of several that match, the longest counts.',
      examples: ['gpt-5*'],
    }),
    input: price.meta({ description: 'A million tokens of input.', examples: [1.25] }),
    output: price.meta({ description: 'A million tokens of output.', examples: [10] }),
    cached_input: price.optional().meta({
      description: 'A million tokens of input from the cache; by default like `input`.',
      examples: [0.125],
    }),
    cache_write: price.optional().meta({
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

const defaults = mapping({
  agent: agent.optional(),
  network: mapping(
    {
      setup: optionalReach('setup'),
      agent: optionalReach('agent'),
      verifiers: optionalReach('verifiers'),
    },
    'a mapping of setup, agent and verifiers',
  )
    .prefault({})
    .meta({ description: 'What programs may reach.', examples: [{ verifiers: ['registries'] }] }),
})
  .prefault({})
  .meta({
    description: 'What holds for repositories that do not write these keys.',
    examples: [{ agent: { use: 'command', command: ['node', 'tools/agent.mjs'] } }],
  });

/** The operator's file as people write it. */
export const operatorSchema = mapping(
  {
    version: z
      .literal(1, { error: '1, the version of this format' })
      .meta({ description: 'The version of this format. The only required key.', examples: [1] }),
    repositories,
    agents,
    commands,
    install,
    sandbox: oneOf(['required', 'preferred', 'off'])
      .optional()
      .meta({
        description:
          'The weakest sandbox that repositories may ask for. With `COXSWAIN_SANDBOX` the stricter one counts.',
        examples: ['required'],
      }),
    network,
    gates,
    private_hosts: privateHosts,
    registries: registryList.default([]).meta({
      description:
        'Registries that programs may reach with the word `registries`, with the variables of their tokens.',
      examples: [[{ host: 'npm.corp.example', kind: 'npm', token_env: 'NPM_TOKEN' }]],
    }),
    prices,
    limits: operatorLimits,
    defaults,
  },
  'a mapping of keys, beginning with `version: 1`',
).meta({
  title: 'Coxswain operator',
  description:
    'What the operator of a Coxswain App allows its repositories, in the file that COXSWAIN_OPERATOR_FILE names.',
  examples: [{ version: 1 }],
});

export type WrittenOperator = z.output<typeof operatorSchema>;

/** The schema for editors and for the reference; tests compare it with both. */
export const publishedOperatorSchema = jsonSchemaOf(operatorSchema);
