import { agentProfiles } from '../../config/agent-profiles.ts';
import { exitCodeAt } from './exit-code.ts';
import type { Given, Profile } from './profile.ts';
import { titleAsCommand } from './title.ts';

export const copilot: Profile = {
  name: 'copilot',
  title: agentProfiles.copilot.title,
  launch: {
    package: {
      name: '@github/copilot',
      version: '1.0.102',
      program: 'node_modules/@github/copilot/npm-loader.js',
    },
    bin: 'copilot',
    args: ['--acp', '--disable-builtin-mcps'],
    versionArgs: ['--version'],
    isScript: true,
  },
  environment: (given) => ({
    ...provider(given),
    COPILOT_AUTO_UPDATE: 'false',
    // It needs nothing of GitHub's, and would ask for it.
    COPILOT_OFFLINE: 'true',
  }),
  homeFiles: () => ({}),
  modelNeeded: 'gpt-5.5',
  session: {},
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'contents', 0, 'exitCode'], ['rawOutput', 'exitCode']),
    countsSession: true,
    commandIn: titleAsCommand,
    noise: [/^Info: /],
    modelFaults: [
      { pattern: /^Error: Authentication failed with provider\b/, kind: 'model_key' },
      { pattern: /^Error: Failed to get response from the AI model\b/, kind: 'model_unavailable' },
    ],
  },
};

/** A provider of our own, so that it needs no login at GitHub. */
function provider({ choice: { model }, models }: Given): Readonly<Record<string, string>> {
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = models;
  return {
    ...(url !== undefined && { COPILOT_PROVIDER_BASE_URL: url }),
    ...(key !== undefined && { COPILOT_PROVIDER_API_KEY: key }),
    ...(model !== undefined && { COPILOT_MODEL: model }),
  };
}
