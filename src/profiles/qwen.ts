import { type NamedProfile, openai } from './profile.ts';
import { exitCodeAt } from './reading.ts';

export const qwen: NamedProfile = {
  name: 'qwen',
  title: 'Qwen Code',
  asks: 'every_call',
  keys: openai,
  takes: { model: true, effort: false },
  paths: { home: ['.qwen'], workspace: ['.qwen'], instructions: ['QWEN.md'] },
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
  environment: ({ choice: { model } }) => (model === undefined ? {} : { OPENAI_MODEL: model }),
  homeFiles: () => ({ '.qwen/settings.json': `${JSON.stringify(settings)}\n` }),
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
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
};
