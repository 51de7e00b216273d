import { agentProfiles } from '../../config/agent-profiles.ts';
import { writtenExitCode } from './exit-code.ts';
import type { Profile } from './profile.ts';
import { titleAsCommand } from './title.ts';

/** Claude Code, behind the adapter of the protocol's makers. */
export const claude: Profile = {
  name: 'claude',
  title: agentProfiles.claude.title,
  launch: {
    package: {
      name: '@agentclientprotocol/claude-agent-acp',
      version: '0.100.0',
      program: 'node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js',
    },
    bin: 'claude-agent-acp',
    args: [],
    versionArgs: ['--version'],
    isScript: true,
  },
  environment: ({ choice: { model } }) => ({
    ...(model !== undefined && { ANTHROPIC_MODEL: model }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  }),
  homeFiles: () => ({}),
  skillsFolder: '.claude/skills',
  session: {
    // Without these, settings of the branch allow tools, run hooks and start servers.
    meta: { claudeCode: { options: { settingSources: ['user'], strictMcpConfig: true } } },
    mode: 'default',
  },
  reading: {
    exitCode: writtenExitCode,
    marksFailures: true,
    commandIn: titleAsCommand,
    noise: [],
    modelFaults: [
      { pattern: /^(?:Invalid API key|Not logged in|Please run \/login)\b/, kind: 'model_key' },
      { pattern: /^API Error: 40[13]\b/, kind: 'model_key' },
      { pattern: /^API Error\b/, kind: 'model_unavailable' },
    ],
  },
};
