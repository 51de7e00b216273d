import { agentProfiles } from '../../config/agent-profiles.ts';
import { exitCodeAt } from './exit-code.ts';
import type { Given, Profile } from './profile.ts';
import { titleAsCommand } from './title.ts';

export const opencode: Profile = {
  name: 'opencode',
  title: agentProfiles.opencode.title,
  launch: {
    package: {
      name: 'opencode-ai',
      version: '1.18.33',
      program: 'node_modules/opencode-linux-x64/bin/opencode',
    },
    bin: 'opencode',
    args: ['acp'],
    versionArgs: ['--version'],
    needs: [],
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
  session: {},
  reading: {
    exitCode: exitCodeAt(['rawOutput', 'metadata', 'exit']),
    commandIn: titleAsCommand,
    noise: [],
    modelFaults: [],
  },
};

const lockOfPlugins = { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } };

function settings({ choice: { model }, models }: Given): object {
  const options = (url: string | undefined, path: string) =>
    url === undefined ? {} : { options: { baseURL: `${url}${path}` } };
  return {
    ...(model !== undefined && { model, small_model: model }),
    autoupdate: false,
    share: 'disabled',
    permission: { edit: 'ask', bash: 'ask', webfetch: 'ask' },
    provider: {
      anthropic: options(models['ANTHROPIC_BASE_URL'], '/v1'),
      openai: options(models['OPENAI_BASE_URL'], ''),
      google: options(models['GOOGLE_GEMINI_BASE_URL'], '/v1beta'),
    },
  };
}
