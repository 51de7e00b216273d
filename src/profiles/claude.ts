import { anthropic, type NamedProfile, writtenExitCode } from './profile.ts';

/** Claude Code, behind the adapter of the protocol's makers. */
export const claude: NamedProfile = {
  name: 'claude',
  title: 'Claude Code',
  asks: 'every_call',
  keys: anthropic,
  takes: { model: true, effort: false },
  paths: {
    home: ['.claude', '.claude.json'],
    workspace: ['.claude'],
    instructions: ['CLAUDE.md', 'CLAUDE.local.md'],
  },
  recipe: {
    configuration: '`agent: claude`, or `{ use: claude, model: claude-opus-4-5 }`',
    key: '`ANTHROPIC_API_KEY`, `ANTHROPIC_AUTH_TOKEN` or, of a subscription, `CLAUDE_CODE_OAUTH_TOKEN`',
  },
  launch: {
    package: {
      name: '@agentclientprotocol/claude-agent-acp',
      version: '0.100.0',
      program: 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
    },
    bin: 'claude-agent-acp',
    args: [],
  },
  environment: ({ choice: { model } }) => ({
    ...(model !== undefined && { ANTHROPIC_MODEL: model }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // A paid request after each turn, for a prompt that nobody sees.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
  }),
  skillsFolder: '.claude/skills',
  session: {
    // Without these, settings of the branch allow tools, run hooks and start servers.
    meta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } },
    mode: 'default',
  },
  reading: {
    exitCode: writtenExitCode,
    marksFailures: true,
    modelFaults: [
      { pattern: /^(?:Invalid API key|Not logged in|Please run \/login)\b/, kind: 'model_key' },
      { pattern: /^API Error: 40[13]\b/, kind: 'model_key' },
      { pattern: /^API Error\b/, kind: 'model_unavailable' },
    ],
  },
};
