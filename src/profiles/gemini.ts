import { google, type NamedProfile, titleAsCommand } from './profile.ts';

export const gemini: NamedProfile = {
  name: 'gemini',
  title: 'Gemini CLI',
  asks: 'every_call',
  keys: google,
  takes: { model: true, effort: false },
  paths: { home: ['.gemini'], workspace: ['.gemini'], instructions: ['GEMINI.md'] },
  recipe: {
    configuration:
      '`agent: gemini`, or `{ use: gemini, model: gemini-2.5-pro }`; without a model it asks a small one which to take',
    key: '`GEMINI_API_KEY` or `GOOGLE_API_KEY`',
  },
  launch: {
    package: {
      name: '@google/gemini-cli',
      version: '0.61.0',
      program: 'node_modules/@google/gemini-cli/bundle/gemini.js',
    },
    bin: 'gemini',
    args: ['--acp'],
  },
  environment: ({ choice: { model } }) => ({
    ...(model !== undefined && { GEMINI_MODEL: model }),
    NO_BROWSER: '1',
    // It reads no other settings of Git, and the workspace is somebody else's than the agent's.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  }),
  homeFiles: ({ workspace }) => ({
    '.gemini/settings.json': `${JSON.stringify(settings)}\n`,
    // It starts no server in a folder that is not trusted, also none of ours. The branch gains nothing by it:
    // its own settings are hidden, and it would not be trusted where something else was in their place.
    '.gemini/trustedFolders.json': `${JSON.stringify({ [workspace]: 'TRUST_FOLDER' })}\n`,
    // Found before a `.env` that set-up left in the home, of which it would take every variable.
    '.gemini/.env': '',
  }),
  session: { mode: 'default' },
  reading: {
    // It says nowhere how a command ended.
    exitCode: () => undefined,
    commandIn: (title) => withFolder.exec(title)?.[1] ?? titleAsCommand(title),
    noise: [/^\[MODE_UPDATE\]/],
  },
};

/**
 * `<command> [in <folder>] (<what it is for>)`; the longest reading, so that nothing of a command is lost.
 */
const withFolder = /^(.*) \[(?:in|current working directory) [^\]]*\](?: \(.*\))?(?: \[background\])?$/s;

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  // That of the branch is for its programs: in a trusted folder it would take every variable of it.
  advanced: { ignoreLocalEnv: true },
  general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
};
