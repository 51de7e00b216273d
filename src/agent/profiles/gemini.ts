import type { Profile } from './profile.ts';

export const gemini: Profile = {
  name: 'gemini',
  title: 'Gemini CLI',
  launch: {
    package: {
      name: '@google/gemini-cli',
      version: '0.61.0',
      program: 'node_modules/@google/gemini-cli/bundle/gemini.js',
    },
    bin: 'gemini',
    args: ['--acp'],
    versionArgs: ['--version'],
    needs: ['node'],
  },
  environment: ({ choice: { model } }) => ({
    ...(model !== undefined && { GEMINI_MODEL: model }),
    NO_BROWSER: '1',
  }),
  homeFiles: () => ({ '.gemini/settings.json': `${JSON.stringify(settings)}\n` }),
  session: { mode: 'default' },
  reading: {
    // It says nowhere how a command ended.
    exitCode: () => undefined,
    noise: [/^\[MODE_UPDATE\]/],
    modelFaults: [],
  },
};

const settings = {
  // A folder that is not trusted: settings of the branch would allow tools and start servers.
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
};
