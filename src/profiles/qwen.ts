import { exitCodeAt, type NamedProfile, openai } from './profile.ts';

export const qwen: NamedProfile = {
  name: 'qwen',
  title: 'Qwen Code',
  asks: 'every_call',
  keys: openai,
  takes: { model: true, effort: false },
  // It would take every variable of a `.env` that set-up left in the home.
  paths: { home: ['.qwen', '.env'], workspace: ['.qwen'], instructions: ['QWEN.md'] },
  recipe: {
    configuration: '`agent: { use: qwen, model: qwen3-coder-plus }`',
    key: '`OPENAI_API_KEY`, with `COXSWAIN_MODEL_URL` for a provider other than OpenAI',
  },
  launch: {
    package: {
      name: '@qwen-code/qwen-code',
      version: '0.24.4',
      program: 'node_modules/@qwen-code/qwen-code/cli-entry.js',
    },
    bin: 'qwen',
    args: ['--acp', '--auth-type', 'openai'],
  },
  environment: ({ choice: { model } }) => ({
    ...(model !== undefined && { OPENAI_MODEL: model }),
    // Its first prompt names the tools of servers only if it has waited for them.
    QWEN_CODE_LEGACY_MCP_BLOCKING: '1',
  }),
  homeFiles: ({ workspace }) => ({
    '.qwen/settings.json': `${JSON.stringify(settings)}\n`,
    // It starts no server in a folder that is not trusted, also none of ours. The branch gains nothing by it:
    // its own settings are hidden, and Qwen Code takes no variable from its `.env` that leads to others.
    '.qwen/trustedFolders.json': `${JSON.stringify({ [workspace]: 'TRUST_FOLDER' })}\n`,
  }),
  // It begins in a mode in which it asks nobody.
  session: { mode: 'default' },
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'exitCode']),
  },
};

const settings = {
  security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // Each is a request more, for nobody here.
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  ui: { enableFollowupSuggestions: false },
  // Its own way to ask brings no answer back: it has ours.
  permissions: { deny: ['ask_user_question'] },
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
};
