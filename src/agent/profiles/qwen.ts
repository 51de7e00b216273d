import { agentProfiles } from '../../config/agent-profiles.ts';
import { exitCodeAt } from './exit-code.ts';
import type { Profile } from './profile.ts';
import { titleAsCommand } from './title.ts';

export const qwen: Profile = {
  name: 'qwen',
  title: agentProfiles.qwen.title,
  launch: {
    package: {
      name: '@qwen-code/qwen-code',
      version: '0.24.4',
      program: 'node_modules/@qwen-code/qwen-code/cli-entry.js',
    },
    bin: 'qwen',
    args: ['--acp', '--auth-type', 'openai'],
    versionArgs: ['--version'],
    isScript: true,
  },
  environment: ({ choice: { model } }) => (model === undefined ? {} : { OPENAI_MODEL: model }),
  homeFiles: () => ({ '.qwen/settings.json': `${JSON.stringify(settings)}\n` }),
  // It begins in a mode in which it asks nobody.
  session: { mode: 'default' },
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'exitCode']),
    commandIn: titleAsCommand,
    noise: [],
    modelFaults: [],
  },
};

const settings = {
  security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: true } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
};
