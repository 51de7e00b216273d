import {
  exitCodeAt,
  type Given,
  inBaseDirectories,
  type NamedProfile,
  openai,
  type ToolServer,
} from './profile.ts';

export const copilot: NamedProfile = {
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  asks: 'every_call',
  keys: openai,
  takes: { model: true, effort: false },
  paths: {
    home: ['.copilot', ...inBaseDirectories('github-copilot')],
    workspace: [
      ...[
        '.copilot',
        '.github/hooks',
        '.github/copilot',
        '.github/agents',
        '.github/mcp.json',
        '.vscode/mcp.json',
      ],
    ],
    instructions: ['copilot-instructions.md', 'instructions', 'skills', 'prompts'].map(
      (name) => `.github/${name}`,
    ),
  },
  recipe: {
    configuration: '`agent: { use: copilot, model: gpt-5.5 }`; the model is needed',
    key: '`OPENAI_API_KEY`: no login at GitHub, and no subscription of Copilot',
  },
  launch: {
    package: {
      name: '@github/copilot',
      version: '1.0.102',
      program: 'node_modules/@github/copilot/npm-loader.js',
    },
    bin: 'copilot',
    args: ['--acp', '--disable-builtin-mcps'],
  },
  environment: (given) => ({
    ...provider(given),
    COPILOT_AUTO_UPDATE: 'false',
    // It needs nothing of GitHub's, and would ask for it.
    COPILOT_OFFLINE: 'true',
  }),
  // It takes only servers of the web from whoever begins a session.
  homeFiles: ({ servers }) => ({
    '.copilot/mcp-config.json': `${JSON.stringify({ mcpServers: Object.fromEntries(servers.map(local)) })}\n`,
  }),
  modelNeeded: 'gpt-5.5',
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'contents', 0, 'exitCode'], ['rawOutput', 'exitCode']),
    countsSession: true,
    noise: [/^Info: /],
    modelFaults: [
      { pattern: /^Error: Authentication failed with provider\b/, kind: 'model_key' },
      { pattern: /^Error: Failed to get response from the AI model\b/, kind: 'model_unavailable' },
    ],
  },
};

function local({ name, ...started }: ToolServer): readonly [string, object] {
  return [name, { type: 'local', ...started, env: {}, tools: ['*'] }];
}

/** A provider of our own, so that it needs no login at GitHub. */
function provider({ choice: { model }, models }: Given): Readonly<Record<string, string>> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = models;
  return {
    ...(url !== undefined && { COPILOT_PROVIDER_BASE_URL: url }),
    ...(key !== undefined && { COPILOT_PROVIDER_API_KEY: key }),
    ...(model !== undefined && { COPILOT_MODEL: model }),
  };
}
