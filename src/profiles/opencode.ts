import {
  anthropic,
  exitCodeAt,
  type Given,
  google,
  inBaseDirectories,
  modelKeys,
  type NamedProfile,
  openai,
} from './profile.ts';

export const opencode: NamedProfile = {
  name: 'opencode',
  title: 'OpenCode',
  asks: 'every_call',
  keys: modelKeys,
  takes: { model: true, effort: false },
  paths: {
    home: ['.opencode', ...inBaseDirectories('opencode')],
    workspace: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    instructions: ['CONTEXT.md'],
  },
  recipe: {
    configuration:
      '`agent: { use: opencode, model: anthropic/claude-opus-4-5 }`, `openai/gpt-5.5` or `google/gemini-2.5-pro`; without a model it takes one of a provider whose key is set',
    key: 'that of the provider',
  },
  launch: {
    package: {
      name: 'opencode-ai',
      version: '1.18.33',
      program: 'node_modules/opencode-linux-x64/bin/opencode',
    },
    bin: 'opencode',
    args: ['acp'],
  },
  environment: () => ({
    // Settings of the branch allow tools, and its plugins are started with the agent.
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_PURE: '1',
    OPENCODE_DISABLE_CLAUDE_CODE: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  }),
  homeFiles: (given) => ({
    '.config/opencode/opencode.json': `${JSON.stringify(settings(given))}\n`,
    // As if what plugins need were installed: it would be asked of a registry at each start.
    '.config/opencode/package-lock.json': `${JSON.stringify(lockOfPlugins)}\n`,
    '.config/opencode/node_modules/.keep': '',
  }),
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'metadata', 'exit']),
  },
};

const lockOfPlugins = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } };

/** Its names of those whose models it can be given, with our variables. */
const providers = {
  anthropic: { url: 'ANTHROPIC_BASE_URL', path: '/v1', keys: anthropic },
  openai: { url: 'OPENAI_BASE_URL', path: '', keys: openai },
  google: { url: 'GOOGLE_GEMINI_BASE_URL', path: '/v1beta', keys: google },
} as const;

/** Without a list of providers it would choose a model of its makers, whom it cannot reach. */
function settings({ choice: { model, mcp = [] }, models }: Given): object {
  const reached = Object.entries(providers).flatMap(([name, { url, path, keys }]) => {
    const [origin, key] = [models[url], keys.map((each) => models[each]).find((each) => each !== undefined)];
    return origin === undefined
      ? []
      : [[name, { options: { baseURL: `${origin}${path}`, apiKey: key } }] as const];
  });
  // It asks before none of a server's tools unless it is told to.
  const ofServers = mcp.map(({ name }) => [`${name}_*`, 'ask'] as const);
  return {
    ...(model !== undefined && { model, small_model: model }),
    autoupdate: false,
    share: 'disabled',
    permission: { edit: 'ask', bash: 'ask', webfetch: 'ask', ...Object.fromEntries(ofServers) },
    enabled_providers: reached.map(([name]) => name),
    provider: Object.fromEntries(reached),
  };
}
