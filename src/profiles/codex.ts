import { exitCodeAt, type Given, type NamedProfile, openai } from './profile.ts';

/** Codex, behind the adapter of the protocol's makers. */
export const codex: NamedProfile = {
  name: 'codex',
  title: 'Codex',
  asks: 'escalations',
  keys: openai,
  takes: { model: true, effort: true },
  paths: { home: ['.codex'], workspace: ['.codex'], instructions: ['AGENTS.override.md'] },
  recipe: {
    configuration: '`agent: codex`, or `{ use: codex, model: gpt-5.5, effort: high }`',
    key: '`OPENAI_API_KEY`',
  },
  launch: {
    package: {
      name: '@agentclientprotocol/codex-acp',
      version: '2.6.0',
      program: 'node_modules/@agentclientprotocol/codex-acp/dist/index.js',
    },
    bin: 'codex-acp',
    args: [],
  },
  environment: () => ({
    MODEL_PROVIDER: provider,
    // In the mode it would begin with, another model decides about what a human should.
    INITIAL_AGENT_MODE: 'workspace-write',
    NO_BROWSER: '1',
  }),
  homeFiles: (given) => ({ '.codex/config.toml': configuration(given) }),
  reading: {
    exitCode: exitCodeAt(['meta', 'terminal_exit', 'exit_code'], ['rawOutput', 'exit_code']),
    noise: [/^Config warning:/],
    // It ends its turn with them as if they were its answer, in a chunk of their own.
    modelFaults: [
      { pattern: /^(?:unexpected status|exceeded retry limit, last status:) 40[13]\b/, kind: 'model_key' },
      {
        pattern: new RegExp(
          [
            '^(?:unexpected status|exceeded retry limit|stream disconnected|error sending request|request timed out)',
            '^(?:Quota exceeded|You.ve hit your usage limit|Selected model is at capacity|Connection failed)',
            '^We.re currently experiencing high demand',
            '^\\{"error":\\{',
          ].join('|'),
        ),
        kind: 'model_unavailable',
      },
    ],
  },
};

const provider = 'coxswain';

/** A JSON string is a string of TOML. */
function configuration({ choice: { model, effort }, models }: Given): string {
  const url = models['OPENAI_BASE_URL'];
  const top = {
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { model_reasoning_effort: effort }),
    model_provider: provider,
  };
  const own = {
    name: 'Coxswain',
    ...(url !== undefined && { base_url: url }),
    wire_api: 'responses',
    env_key: 'OPENAI_API_KEY',
  };
  return [
    ...lines(top),
    'check_for_update_on_startup = false',
    ...['[analytics]', 'enabled = false'],
    // They are looked for at other hosts, at each start.
    ...[
      '[features]',
      'plugins = false',
      'apps = false',
      'plugin_discovery_prefetch = false',
      'hooks = false',
    ],
    ...[`[model_providers.${provider}]`, ...lines(own)],
    '',
  ].join('\n');
}

function lines(values: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
}
